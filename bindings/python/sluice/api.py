# SPDX-License-Identifier: MIT
"""The reference service: requests for events and tags, their store, and a request handler.

```
query = sluice.api.EventsQuery.parse("country=US,CA&interval=7d")
store = sluice.api.EventStore.load("data")
store.page(query)  # a page of events, as JSON
```

Constants:
    BULK_MAX_ITEMS: The maximum number of items of a bulk creation.
    EVENTS_LIMIT_MAX: The maximum number of events on a page.
    PAGE_SIZE_MAX: The maximum number of tags on a page.
    TEST_VARIANTS_MAX: The maximum number of variants of an A/B test.
    TEST_VARIANTS_MIN: The minimum number of variants of an A/B test.
    VARIANT_PERCENTAGE_MAX: The largest share of an A/B variant, in per cent.
    VARIANT_PERCENTAGE_MIN: The smallest share of an A/B variant, in per cent.
"""

from sluice._sluice import (
    BULK_MAX_ITEMS,
    EVENTS_LIMIT_MAX,
    PAGE_SIZE_MAX,
    TEST_VARIANTS_MAX,
    TEST_VARIANTS_MIN,
    VARIANT_PERCENTAGE_MAX,
    VARIANT_PERCENTAGE_MIN,
    Cancellation,
    EventsQuery,
    EventStore,
    Handler,
    ResolvedRequest,
    Response,
    TagsQuery,
    check_bulk_size,
    check_events_limit,
    check_page_size,
    check_query_length,
    check_test_variants,
    check_variant_percentage,
    clickhouse_tables,
    load_clickhouse,
    openapi_document,
    plan_limits,
    write_sample,
)

__all__ = [
    "BULK_MAX_ITEMS",
    "EVENTS_LIMIT_MAX",
    "PAGE_SIZE_MAX",
    "TEST_VARIANTS_MAX",
    "TEST_VARIANTS_MIN",
    "VARIANT_PERCENTAGE_MAX",
    "VARIANT_PERCENTAGE_MIN",
    "Cancellation",
    "EventStore",
    "EventsQuery",
    "Handler",
    "ResolvedRequest",
    "Response",
    "TagsQuery",
    "check_bulk_size",
    "check_events_limit",
    "check_page_size",
    "check_query_length",
    "check_test_variants",
    "check_variant_percentage",
    "clickhouse_tables",
    "load_clickhouse",
    "openapi_document",
    "plan_limits",
    "write_sample",
]

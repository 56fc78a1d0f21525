# SPDX-License-Identifier: MIT
"""What passes and how fast: filters, parameters, rate limits and error envelopes for list APIs.

```
query = sluice.EventsQuery.parse("country=US,CA&interval=7d")
store = sluice.EventStore.load("data")
store.page(query)  # a page of events, as JSON
```

Constants:
    BULK_MAX_ITEMS: The most items of a bulk creation.
    EVENTS_LIMIT_MAX: The most events on a page.
    FILTER_MAX_BYTES: The most bytes of a filter's text.
    FILTER_MAX_VALUES: The most values of a filter.
    PAGE_SIZE_MAX: The most tags on a page.
    QUERY_MAX_LENGTH: The most UTF-16 code units of a metadata expression.
    TEST_VARIANTS_MAX: The most variants of an A/B test.
    TEST_VARIANTS_MIN: The fewest variants of an A/B test.
    VARIANT_PERCENTAGE_MAX: The largest share of an A/B variant, in per cent.
    VARIANT_PERCENTAGE_MIN: The smallest share of an A/B variant, in per cent.
"""

from sluice import asgi
from sluice._errors import ApiError
from sluice._sluice import (
    BULK_MAX_ITEMS,
    EVENTS_LIMIT_MAX,
    FILTER_MAX_BYTES,
    FILTER_MAX_VALUES,
    PAGE_SIZE_MAX,
    QUERY_MAX_LENGTH,
    TEST_VARIANTS_MAX,
    TEST_VARIANTS_MIN,
    VARIANT_PERCENTAGE_MAX,
    VARIANT_PERCENTAGE_MIN,
    Cancellation,
    Decision,
    EventsQuery,
    EventStore,
    Filter,
    Handler,
    Mask,
    MetadataQuery,
    RateLimiter,
    Response,
    TagsQuery,
    __version__,
    check_bulk_size,
    check_events_limit,
    check_page_size,
    check_query_length,
    check_test_variants,
    check_variant_percentage,
    error_body,
    http_status,
    parse_query_string,
    plan_limits,
    to_query_string,
    write_sample,
)

__all__ = [
    "BULK_MAX_ITEMS",
    "EVENTS_LIMIT_MAX",
    "FILTER_MAX_BYTES",
    "FILTER_MAX_VALUES",
    "PAGE_SIZE_MAX",
    "QUERY_MAX_LENGTH",
    "TEST_VARIANTS_MAX",
    "TEST_VARIANTS_MIN",
    "VARIANT_PERCENTAGE_MAX",
    "VARIANT_PERCENTAGE_MIN",
    "ApiError",
    "Cancellation",
    "Decision",
    "EventStore",
    "EventsQuery",
    "Filter",
    "Handler",
    "Mask",
    "MetadataQuery",
    "RateLimiter",
    "Response",
    "TagsQuery",
    "__version__",
    "asgi",
    "check_bulk_size",
    "check_events_limit",
    "check_page_size",
    "check_query_length",
    "check_test_variants",
    "check_variant_percentage",
    "error_body",
    "http_status",
    "parse_query_string",
    "plan_limits",
    "to_query_string",
    "write_sample",
]

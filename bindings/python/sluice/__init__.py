# SPDX-License-Identifier: MIT
"""What passes and how fast: filters, parameters, rate limits and error envelopes for list APIs.

```
countries = sluice.Filter.parse("-US,CA")
countries.mask(table["country"])  # which rows are of any other country
```

`sluice.api` is a reference service made of these, whose names are also here, and `sluice.asgi`
serves it.

Constants:
    FILTER_MAX_BYTES: The most bytes of a filter's text.
    FILTER_MAX_VALUES: The most values of a filter.
    QUERY_MAX_LENGTH: The most UTF-16 code units of a metadata expression.
"""

from collections.abc import Sequence

from sluice import api, asgi, sql
from sluice._column import Column
from sluice._errors import ApiError
from sluice._sluice import (
    FILTER_MAX_BYTES,
    FILTER_MAX_VALUES,
    QUERY_MAX_LENGTH,
    Decision,
    Filter,
    ListQuery,
    Mask,
    MetadataQuery,
    RateLimiter,
    __version__,
    error_body,
    http_status,
    parse_query_string,
    to_query_string,
)

# Aliases: what the reference service's names were before it had a module of its own.
from sluice.api import (
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
    Response,
    TagsQuery,
    check_bulk_size,
    check_events_limit,
    check_page_size,
    check_query_length,
    check_test_variants,
    check_variant_percentage,
    plan_limits,
    write_sample,
)

Sequence.register(Mask)

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
    "Column",
    "Decision",
    "EventStore",
    "EventsQuery",
    "Filter",
    "Handler",
    "ListQuery",
    "Mask",
    "MetadataQuery",
    "RateLimiter",
    "Response",
    "TagsQuery",
    "__version__",
    "api",
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
    "sql",
    "to_query_string",
    "write_sample",
]

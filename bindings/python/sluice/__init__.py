# SPDX-License-Identifier: MIT
"""Parse, validate, document and run the query parameters of list APIs.

```
countries = sluice.Filter.parse("-US,CA")
countries.mask(table["country"])  # which rows are of any other country
```

`sluice.api` is a reference service built on the library, whose names are also here; `sluice.asgi`
serves it.

Constants:
    FILTER_MAX_BYTES: The maximum size of a filter's text, in bytes.
    FILTER_MAX_VALUES: The maximum number of values of a filter.
    QUERY_MAX_LENGTH: The maximum length of a metadata expression, in UTF-16 code units.
"""

import importlib
import sys
from collections.abc import Sequence

from sluice import _methods, _package, api  # noqa: F401 (the first two are for the module)
from sluice._errors import ApiError
from sluice._sluice import (
    FILTER_MAX_BYTES,
    FILTER_MAX_VALUES,
    QUERY_MAX_LENGTH,
    Cursor,
    Decision,
    Filter,
    Mask,
    MetadataQuery,
    RateLimiter,
    TimeExpression,
    __version__,
    decide,
    equal,
    error_body,
    http_status,
    link_header,
    parse_query_string,
    resolve_window,
    to_query_string,
)

# Names of sluice.api, which are here, too; see the docstring above.
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

TYPE_CHECKING = False  # as in typing, whose import takes longer than all imports here
if TYPE_CHECKING:
    from sluice import asgi, grammars, sql
    from sluice._column import Column
    from sluice._declared.conditions import (
        boolean,
        choice,
        contains,
        date,
        decimal,
        ends_with,
        filter,  # noqa: A004
        integer,
        is_null,
        metadata,
        real,
        search,
        starts_with,
        text,
        texts,
        time,
        uuid,
        value,
    )
    from sluice._declared.expressions import expression, ordering
    from sluice._declared.groups import facets, group_by, measures
    from sluice._declared.guidelines import aip, odata, scim
    from sluice._declared.list_query import ListQuery
    from sluice._declared.lists import page, sort, window
    from sluice._declared.parameter import Parameter
    from sluice._declared.rule import Rule, check
    from sluice._declared.values import Bounds, GroupRequest, GuidelineRequest, PageRequest, SortKey
    from sluice._pages import Page
    from sluice._window import Window
else:
    # Imported on first use: most programs use none of these.
    _LATER = {
        "Column": "sluice._column",
        "Page": "sluice._pages",
        "Window": "sluice._window",
        "asgi": "sluice.asgi",
        "grammars": "sluice.grammars",
        "sql": "sluice.sql",
    }
    _DECLARED = {
        "conditions": "boolean choice contains date decimal ends_with filter integer is_null "
        "metadata real search starts_with text texts time uuid value",
        "expressions": "expression ordering",
        "groups": "facets group_by measures",
        "guidelines": "aip odata scim",
        "list_query": "ListQuery",
        "lists": "page sort window",
        "parameter": "Parameter",
        "rule": "Rule check",
        "values": "Bounds GroupRequest GuidelineRequest PageRequest SortKey",
    }
    for _module, _names in _DECLARED.items():
        _LATER |= dict.fromkeys(_names.split(), f"sluice._declared.{_module}")

    def __getattr__(name: str) -> object:
        """Imports a name of _LATER on first use."""
        if name not in _LATER:
            here = sys.modules[__name__]
            raise AttributeError(f"module 'sluice' has no attribute {name!r}", name=name, obj=here)
        module = importlib.import_module(_LATER[name])
        attribute = module if module.__name__ == f"sluice.{name}" else getattr(module, name)
        globals()[name] = attribute
        return attribute

    def __dir__() -> list[str]:
        """Returns all names, including those of _LATER."""
        return [*globals(), *_LATER]


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
    "Bounds",
    "Cancellation",
    "Column",
    "Cursor",
    "Decision",
    "EventStore",
    "EventsQuery",
    "Filter",
    "GroupRequest",
    "GuidelineRequest",
    "Handler",
    "ListQuery",
    "Mask",
    "MetadataQuery",
    "Page",
    "PageRequest",
    "Parameter",
    "RateLimiter",
    "Response",
    "Rule",
    "SortKey",
    "TagsQuery",
    "TimeExpression",
    "Window",
    "__version__",
    "aip",
    "api",
    "asgi",
    "boolean",
    "check",
    "check_bulk_size",
    "check_events_limit",
    "check_page_size",
    "check_query_length",
    "check_test_variants",
    "check_variant_percentage",
    "choice",
    "contains",
    "date",
    "decide",
    "decimal",
    "ends_with",
    "equal",
    "error_body",
    "expression",
    "facets",
    "filter",
    "grammars",
    "group_by",
    "http_status",
    "integer",
    "is_null",
    "link_header",
    "measures",
    "metadata",
    "odata",
    "ordering",
    "page",
    "parse_query_string",
    "plan_limits",
    "real",
    "resolve_window",
    "scim",
    "search",
    "sort",
    "sql",
    "starts_with",
    "text",
    "texts",
    "time",
    "to_query_string",
    "uuid",
    "value",
    "window",
    "write_sample",
]

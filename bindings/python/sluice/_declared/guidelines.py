# SPDX-License-Identifier: MIT
"""The whole set of parameters of a guideline: condition, order, page."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sluice._column import Column
from sluice._declared.arguments import declares
from sluice._declared.expressions import Columns, to_columns, to_keys
from sluice._declared.lists import Page
from sluice._declared.parameter import Declaration, Parameter, column_name
from sluice._declared.values import GuidelineRequest


@dataclass(eq=False)
class Guideline(Parameter[GuidelineRequest]):
    """The parameters of a guideline.

    Attributes:
        parts: The declarations of the condition, the order and the rest, without their columns.
        named: The columns of the condition.
        ordered: The columns of the order.
        page: The page.
        searched: The columns of a search, among the rest.
    """

    parts: Sequence[Declaration]
    named: Columns
    ordered: Columns
    page: Page
    searched: Sequence[str | Column] = ()

    def problems(self) -> Iterator[str]:
        """Yields the problems of its arguments."""
        yield from self.named.problems()
        yield from Columns(None, {}, {}, self.searched).problems()
        yield from self.page.problems()

    def columns(self) -> Sequence[Column]:
        """Returns the columns that aren't names."""
        searched = [column for column in self.searched if isinstance(column, Column)]
        return [*self.named.columns(), *searched]

    def declarations(self, others: Mapping[str, Parameter[Any]]) -> Sequence[Declaration]:
        """Returns the declarations of the parts and the page."""
        condition, order, *rest = self.parts
        in_grammar = [self.named.declared(condition, others), self.ordered.declared(order, others)]
        searched = [column_name(column, others) for column in self.searched]
        extra = [replace(part, searched=searched) for part in rest]
        return [*in_grammar, *extra, *self.page.declarations(others)]

    def to_value(self, values: Sequence[Any]) -> GuidelineRequest:
        """Returns the values of the parts."""
        page = self.page.to_value([values[-1]])
        search = values[2] if self.searched else None
        return GuidelineRequest(values[0], to_keys(values[1]), page, search)


def _guideline(
    grammar: str,
    columns: Columns,
    names: tuple[str, str],
    page: Mapping[str, str | None],
    sizes: tuple[int, int],
    order: str | None,
    *rest: Declaration,
) -> Guideline:
    """Creates the parameters of a guideline.

    Args:
        grammar: The grammar of the condition and the order.
        columns: The columns of both.
        names: The names of the parameters of both.
        page: The names of the parts of the page.
        sizes: The default and the maximum of the size of a page.
        order: The order of requests without one.
        rest: Other declarations.
    """
    default, maximum = sizes
    style = "aip" if grammar == "aip160" else grammar
    condition = Declaration(kind="condition", name=names[0], grammar=grammar)
    keys = Declaration(kind="order", name=names[1], grammar=grammar, default=order)
    ordered = replace(columns, tests={}, searched=())
    group = Page("page", default, "", page, maximum, style)
    return Guideline([condition, keys, *rest], columns, ordered, group)


@declares
def odata(
    *,
    columns: Iterable[str | Column] | None = None,
    aliases: Mapping[str, str | Column] = {},
    tests: Mapping[str, Iterable[str]] = {},
    searched: Iterable[str | Column] = (),
    order: str | None = None,
    default: int = 100,
    maximum: int = 1_000,
) -> Parameter[GuidelineRequest]:
    """The parameters of OData 4.01: `$filter`, `$orderby`, `$skip`, `$top`, `$skiptoken`, `$count`.

    With columns to search also `$search`. A `$top` beyond the maximum is the maximum, 0 is a page
    without rows. A token of a request with other arguments is malformed (400). `install(app,
    errors="odata")` answers errors as OData does.

    Args:
        columns: As for expression().
        aliases: As for expression().
        tests: As for expression().
        searched: Columns of texts in which `$search` searches: rows have each word, and each phrase
            in double quotes, in any of them.
        order: The order of requests without `$orderby`, such as `created desc`.
        default: The rows per page of requests without `$top`.
        maximum: The maximum of `$top`.
    """
    page = {"page": None, "offset": "$skip", "limit": "$top"}
    names = {**page, "cursor": "$skiptoken", "count": "$count"}
    named = to_columns(columns, aliases, tests)
    sizes = (default, maximum)
    search = to_columns(None, {}, {}, searched).searched
    rest = [Declaration(kind="search", name="$search", words="odata")] if search else []
    declared = _guideline("odata", named, ("$filter", "$orderby"), names, sizes, order, *rest)
    return replace(declared, searched=search)


@declares
def aip(
    *,
    columns: Iterable[str | Column] | None = None,
    aliases: Mapping[str, str | Column] = {},
    tests: Mapping[str, Iterable[str]] = {},
    searched: Iterable[str | Column] = (),
    order: str | None = None,
    default: int = 100,
    maximum: int = 1_000,
) -> Parameter[GuidelineRequest]:
    """The parameters of Google's AIPs: `filter`, `order_by`, `skip`, `page_size`, `page_token`.

    A `page_size` beyond the maximum is the maximum, 0 is the default. A token of a
    request with other arguments is malformed (400). `install(app, errors="aip")` answers errors as
    AIP-193 has them.

    Args:
        columns: As for expression().
        aliases: As for expression().
        tests: As for expression().
        searched: Columns of texts in which words without a column are searched.
        order: The order of requests without `order_by`, such as `created desc`.
        default: The rows per page of requests without `page_size`.
        maximum: The maximum of `page_size`.
    """
    page = {"page": None, "offset": "skip", "limit": "page_size"}
    names = {**page, "cursor": "page_token", "count": None}
    named = to_columns(columns, aliases, tests, searched)
    return _guideline("aip160", named, ("filter", "order_by"), names, (default, maximum), order)


@declares
def scim(
    *,
    columns: Iterable[str | Column] | None = None,
    aliases: Mapping[str, str | Column] = {},
    tests: Mapping[str, Iterable[str]] = {},
    order: str | None = None,
    default: int = 100,
    maximum: int = 1_000,
) -> Parameter[GuidelineRequest]:
    """The parameters of SCIM: `filter`, `sortBy`, `sortOrder`, `startIndex`, `count`, `cursor`.

    A `count` beyond the maximum is the maximum, a negative one 0: a page without rows. `startIndex`
    counts rows from 1, and a smaller one is 1. All rows are counted unless the page is at a
    cursor; a cursor of a request with other arguments is malformed (400).
    `install(app, errors="scim")` answers errors as SCIM has them.

    Args:
        columns: As for expression().
        aliases: As for expression().
        tests: As for expression().
        order: The column of requests without `sortBy`.
        default: The rows per page of requests without `count`.
        maximum: The maximum of `count`.
    """
    page = {"page": None, "offset": "startIndex", "limit": "count"}
    names = {**page, "cursor": "cursor", "count": None}
    named = to_columns(columns, aliases, tests)
    directions = ("ascending", "descending")
    direction = Declaration(kind="direction", name="sortOrder", choices=directions)
    sizes = (default, maximum)
    return _guideline("scim", named, ("filter", "sortBy"), names, sizes, order, direction)

# SPDX-License-Identifier: MIT
"""Parameters in the grammars of guidelines: whole conditions and orders."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypeVar, Unpack

from sluice._column import Column
from sluice._declared.arguments import Texts, declares, problems_in, to_sequence
from sluice._declared.parameter import Declaration, Named, Parameter, column_name
from sluice._declared.values import SortKey
from sluice._sluice import _GRAMMARS, _TESTS

if TYPE_CHECKING:
    from sluice._sluice import _Grammar

    Grammar: TypeAlias = _Grammar
else:
    Grammar = Literal[_GRAMMARS]

T = TypeVar("T")


@dataclass(eq=False)
class Columns:
    """The columns that clients may name, and the tests that these allow.

    Attributes:
        listed: Names or Columns; None: those of the class.
        aliases: Names or Columns by the names that clients use instead.
        tests: Names of tests by the names of clients; others allow all.
        searched: Columns in which words without a column are searched.
    """

    listed: Sequence[str | Column] | None
    aliases: Mapping[str, str | Column]
    tests: Mapping[str, Sequence[str]]
    searched: Sequence[str | Column]

    def problems(self) -> Iterator[str]:
        """Yields the problems of the arguments."""
        for argument, columns in (
            ("columns", self.listed if self.listed is not None else ()),
            ("aliases", [*self.aliases.values()] if isinstance(self.aliases, Mapping) else [0]),
            ("searched", self.searched),
        ):
            is_list = isinstance(columns, list | tuple)  # not a text, whose items are letters
            if not is_list or any(not isinstance(item, str | Column) for item in columns):
                yield f"{argument}: expected names of columns or Columns"
                return
        if not isinstance(self.tests, Mapping):
            yield "tests: expected a mapping of columns to names of tests"
            return
        for name, tests in self.tests.items():
            unknown = [test for test in tests if test not in _TESTS]
            if isinstance(tests, str) or unknown or not tests:
                yield f"tests: expected some of {', '.join(_TESTS)} for {name!r}"

    def columns(self) -> Sequence[Column]:
        """Returns the columns that aren't names."""
        all_ = (*(self.listed or ()), *self.aliases.values(), *self.searched)
        return [column for column in all_ if isinstance(column, Column)]

    def declared(
        self, declaration: Declaration, others: Mapping[str, Parameter[Any]]
    ) -> Declaration:
        """Returns the declaration with the names of columns."""
        named = [
            Named(alias, column_name(column, others), self.tests.get(alias))
            for alias, column in self.aliases.items()
        ]
        taken = {name.column for name in named}
        for column in self.listed or ():
            text = column.name if isinstance(column, Column) else column
            target = column_name(column, others)
            if target not in taken:
                named.append(Named(text, target, self.tests.get(text)))
        searched = [column_name(column, others) for column in self.searched]
        offers_all = self.listed is None
        return replace(
            declaration, named=named, searched=searched, offers_all=offers_all, tests=self.tests
        )


@dataclass(eq=False)
class InGrammar(Parameter[T]):
    """A parameter in the grammar of a guideline."""

    declaration: Declaration
    named: Columns
    words: Mapping[str, Any]
    read: Callable[[Any], T]

    def problems(self) -> Iterator[str]:
        """Yields the problems of its arguments."""
        grammar = self.declaration.grammar
        if grammar not in _GRAMMARS:
            yield f"expected a grammar, one of {', '.join(_GRAMMARS)}, not {grammar!r}"
        yield from problems_in("text", self.words)
        yield from self.named.problems()
        if self.named.searched and grammar != "aip160":
            yield f"searched: only aip160 has words without a column, not {grammar}"

    def columns(self) -> Sequence[Column]:
        """Returns the columns that aren't names."""
        return self.named.columns()

    def declarations(self, others: Mapping[str, Parameter[Any]]) -> Sequence[Declaration]:
        """Returns its declaration, with default names."""
        name = self.declaration.name or self.attribute
        return [self.named.declared(replace(self.declaration, name=name), others)]

    def to_value(self, values: Sequence[Any]) -> T:
        """Returns the value."""
        return self.read(values[0])


def to_columns(
    columns: Iterable[str | Column] | None,
    aliases: Mapping[str, str | Column],
    tests: Mapping[str, Iterable[str]],
    searched: Iterable[str | Column] = (),
) -> Columns:
    """Returns the columns of the arguments of a function, which problems() checks."""
    listed: Any = None if columns is None else to_sequence(columns)
    allowed: Any = tests
    if isinstance(tests, Mapping):
        allowed = {name: to_sequence(kinds) for name, kinds in tests.items()}
    words: Any = to_sequence(searched)
    return Columns(listed, aliases, allowed, words)


def in_grammar(
    kind: str,
    grammar: str,
    columns: Columns,
    words: Mapping[str, Any],
    read: Callable[[Any], T],
) -> InGrammar[T]:
    """Creates a parameter in a grammar; `words` are arguments of Declaration."""
    return InGrammar(Declaration(kind=kind, grammar=grammar, **words), columns, words, read)


def to_keys(keys: Sequence[tuple[str, bool]]) -> tuple[SortKey, ...]:
    """Returns the value of an order."""
    return tuple(SortKey(*key) for key in keys)


@declares
def expression(
    grammar: Grammar,
    *,
    columns: Iterable[str | Column] | None = None,
    aliases: Mapping[str, str | Column] = {},
    tests: Mapping[str, Iterable[str]] = {},
    searched: Iterable[str | Column] = (),
    default: str | None = None,
    required: bool = False,
    **words: Unpack[Texts],
) -> Parameter[str | None]:
    """A whole condition as text, which joins those of other parameters by AND.

    ```
    filter = sluice.expression("odata", name="$filter", aliases={"createTime": "created"})
    ```

    The value is the text, or None if all rows meet it.

    Args:
        grammar: 'aip160', 'odata' ($filter), 'rsql', 'cql2' (text), 'cql2-json', 'scim' or
            'postgrest'.
        columns: The columns that clients may name: names of the class's parameters, which stand for
            their columns, names of columns, or Columns. By default those that the class's other
            parameters and its `columns` have, and its key; others of a model must be named.
        aliases: Names that clients use in place of those of columns.
        tests: Tests that a column allows, by the name of clients, such as `{"total": ["bounds"]}`;
            others allow all that their types have. For the names see the reference of the tree.
        searched: Columns of texts in which AIP-160 searches words without a column.
        default: The condition in requests without it.
        required: True if requests must have it.
        **words: `name`, `help`, `accepts`, `deprecated`; see WORDS.
    """
    options: dict[str, Any] = {**words, "default": default, "required": required}
    named = to_columns(columns, aliases, tests, searched)
    return in_grammar("condition", grammar, named, options, lambda value: value)


@declares
def ordering(
    grammar: Grammar,
    *,
    columns: Iterable[str | Column] | None = None,
    aliases: Mapping[str, str | Column] = {},
    default: str | None = None,
    **words: Unpack[Texts],
) -> Parameter[tuple[SortKey, ...]]:
    """The order in the form of a guideline, such as `total desc,created`.

    The unique column is always appended. The value is a tuple of SortKey, with names of columns.

    Args:
        grammar: As for expression(): `$orderby` of 'odata', `order_by` of 'aip160', signs of 'rsql'
            and 'cql2', a single column of 'scim', `order` of 'postgrest'.
        columns: As for expression().
        aliases: As for expression().
        default: The order of requests without one.
        **words: `name`, `help`, `accepts`, `deprecated`; see WORDS.
    """
    options: dict[str, Any] = {**words, "default": default}
    return in_grammar("order", grammar, to_columns(columns, aliases, {}), options, to_keys)

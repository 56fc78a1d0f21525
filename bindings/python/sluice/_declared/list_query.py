# SPDX-License-Identifier: MIT
"""The base class of custom endpoints."""

import functools
import inspect
import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from types import BuiltinMethodType, new_class
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Self, TypeVar, cast, overload

from sluice._column import Column
from sluice._declared.arguments import NameStyle, is_declaring, problems_in, unknown
from sluice._declared.groups import GroupBy, check_order, tree_of
from sluice._declared.parameter import Declaration, Listed, Parameter, check_kinds, check_tests
from sluice._declared.rule import CHECK
from sluice._declared.single import Single
from sluice._errors import ApiError
from sluice._sluice import BoundQuery, ParameterTable

if TYPE_CHECKING:
    import duckdb
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    from sluice._declared.models import Description, Model
    from sluice._pages import Page
    from sluice._sluice import _Flag, _QueryString
    from sluice.groups import Aggregate

    _Names = Mapping[str, str | None] | None
    Frame = TypeVar("Frame", pa.Table, pa.RecordBatch, pd.DataFrame, duckdb.DuckDBPyRelation)
    Row = TypeVar("Row")


class ListQuery(BoundQuery):
    """The query of a list request: conditions on rows, an order, a page.

    A subclass declares an endpoint: its attributes are the parameters; parse() parses requests.

    ```
    class Orders(sluice.ListQuery):
        status = sluice.filter(choices=("open", "paid", "void"))
        total = sluice.decimal(operators=(">=", "<="))  # total[gte], total[lte]
        page = sluice.page(default=100, maximum=1_000)

    query = Orders.parse("status=open,paid&total[gte]=10")
    ```

    A class accepts arguments after its base: `class Orders(sluice.ListQuery, key="number")`. These
        are key, columns, model, names and ignore_empty; see __init_subclass__().

    Attributes:
        parameters: The names of all parameters in order, a tuple of str.
        places: The indexes of an attribute's values among the declarations, by attribute.
    """

    __module__ = "sluice"
    __slots__ = ()

    parameters: ClassVar[tuple[str, ...]] = ()
    places: ClassVar[Mapping[str, range]] = {}
    _table: ClassVar[ParameterTable]
    _key: ClassVar[Column] = Column("id")
    _key_parts: ClassVar[tuple[str, ...]] = ()  # the columns that it stands for, if several
    _checks: ClassVar[tuple[Callable[[Any], None], ...]] = ()
    _model: "ClassVar[Description | None]" = None
    _columns: ClassVar[tuple[Column, ...]] = (Column("id"),)
    _listed: ClassVar[tuple[str, ...]] = ()  # the names of columns without a parameter
    _declarations: ClassVar[tuple[Declaration, ...]] = ()
    _others: ClassVar[Mapping[str, Parameter[Any]]] = {}  # with Listed ones for other columns
    _names: ClassVar[NameStyle] = "brackets"
    _wants_empty: ClassVar[bool] = True

    def __init_subclass__(
        cls,
        *,
        key: str | Column | None = None,
        columns: Iterable[Column] = (),
        model: "Model | None" = None,
        names: NameStyle | None = None,
        ignore_empty: bool | None = None,
        **others: object,
    ) -> None:
        """Creates the table of the parameters that the class has or inherits.

        Args:
            key: The column with unique values, `id` by default.
            columns: Columns without a parameter.
            model: The model of the rows; see of().
            names: The style of operators in names: `price[gte]`, `price__gte`, `price.gte` or
                `price_min`; `brackets` by default.
            ignore_empty: True if parameters with an empty value count as absent, as those of forms
                do.
            **others: Arguments of other base classes.

        Raises:
            TypeError: The key isn't a column, or one of the columns isn't.
            ValueError: A declaration is invalid; the message names the class and the parameter.
        """
        if others and isinstance(super().__init_subclass__, BuiltinMethodType):  # that of object
            known = ("key", "columns", "model", "names", "ignore_empty")
            raise TypeError(unknown(cls.__name__, next(iter(others)), known))
        super().__init_subclass__(**others)
        cls.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [inspect.Parameter("query", inspect.Parameter.KEYWORD_ONLY, annotation=cls)]
        )  # that of a dependency of FastAPI, which then refuses it
        try:
            if key is not None:
                cls._key, cls._key_parts = _key_of(key), ()
            if names is not None:
                cls._names = names
            flags = {} if ignore_empty is None else {"ignore_empty": ignore_empty}
            for problem in problems_in("class", {"names": cls._names, **flags}):
                raise ValueError(problem)
            if ignore_empty is not None:
                cls._wants_empty = not ignore_empty
            if model is not None:
                cls._apply(model)
            cls._declare(_columns_of(columns))
        except (TypeError, ValueError) as mistake:
            kind = TypeError if isinstance(mistake, TypeError) else ValueError
            raise kind(f"{cls.__name__}: {mistake}") from None

    @classmethod
    def of(cls, model: "Model") -> type[Self]:
        """Returns the class for the rows of a model, with its columns and types.

        Raises for parameters of columns that the model lacks or that have incompatible types, and
        for searches without columns; also when a subclass adds one. To apply a model to a new
        class, write `class Orders(sluice.ListQuery, model=OrderModel)`.

        Args:
            model: A mapped class or a Table of SQLAlchemy, or a model of Django. Its primary key is
                the unique column, unless the class has another one. That of several columns orders
                pages of an ORM.

        Raises:
            ImportError: SQLAlchemy is not installed.
            TypeError: The argument isn't a model.
            ValueError: A column is missing or has another type, or the ORM has no expression for a
                parameter; the message names the class, the column and the expected types.
        """
        names = ("__doc__", "__module__", "__qualname__")
        members = {"__slots__": (), **{name: getattr(cls, name) for name in names}}
        words = {"model": model}
        return cast(
            "type[Self]", new_class(cls.__name__, (cls,), words, lambda body: body.update(members))
        )

    @classmethod
    def _apply(cls, model: "Model") -> None:
        """Stores a model; its primary key is the key of a class that has none."""
        from sluice._declared.models import described, key_of

        cls._model = described(model)
        if cls._key == ListQuery._key:
            cls._key, cls._key_parts = key_of(cls._model)

    @classmethod
    def _declare(cls, more: tuple[Column, ...]) -> None:
        """Creates the table of the class from its parameters; `more` are columns without one."""
        parameters = dict(_parameters_of(cls))
        for name, parameter in parameters.items():
            for problem in parameter.problems():
                raise ValueError(f"{name}: {problem}")
        listed = {column.name: Listed(column) for column in (*cls._columns, *more)}
        others: dict[str, Parameter[Any]] = {**listed, **parameters}
        cls._others = others
        declared = {name: parameter.declarations(others) for name, parameter in parameters.items()}
        ends = itertools.accumulate(len(group) for group in declared.values())
        cls.places = {
            name: range(end - len(declared[name]), end)
            for name, end in zip(declared, ends, strict=True)
        }
        rows = [
            replace(row, naming=cls._names) if row.is_operator else row
            for group in declared.values()
            for row in group
        ]
        columns = [*_declared(parameters.values()), *more]
        known = {column.name: None for column in (cls._key, *columns)}
        cls._listed = (*dict.fromkeys((*cls._listed, *(column.name for column in more))),)
        rows = [row.offering(dict.fromkeys((*known, *cls._listed))) for row in rows]
        named = {
            name.column: None for row in rows for name in row.named if name.column not in known
        }
        searched = dict.fromkeys(name for row in rows for name in row.searched)
        columns.extend(Column(name) for name in searched if name not in known)
        cls._columns = _united(columns, cls._key)
        if cls._model is not None:
            from sluice._declared.models import columns_of

            check_kinds(rows, cls._model.orm)
            choices = {row.column: row.choices for row in rows if row.choices and row.column}
            typed = {row.column for row in rows if row.kind != "is_null"}
            untyped = frozenset(row.column for row in rows if row.column not in typed)
            key = cls._key if cls._key_parts else None
            united = _united([*columns, *map(Column, named)], cls._key)
            untyped |= named.keys()
            cls._columns = columns_of(cls._model, united, choices, untyped, key)
            rows = [row.answered_by(cls._model.orm, cls._columns) for row in rows]
        cls._declarations = tuple(rows)
        cls._table = ParameterTable.make(
            [row.to_dict() for row in rows], cls._columns, cls._key.name, cls._wants_empty
        )
        if cls._model is not None:
            check_tests(cls._table.tests(), cls._columns, cls._model.orm)
        cls.parameters = cls._table.names
        cls._checks = tuple(_checks_of(cls))
        for groups in parameters.values():
            if isinstance(groups, GroupBy):
                check = functools.partial(check_order, groups=groups, parameters=parameters)
                cls._checks = (check, *cls._checks)

    @classmethod
    def errors(
        cls, query_string: "_QueryString", now: datetime | None = None, strict: "_Flag" = True
    ) -> list[ApiError]:
        """Returns all errors of a request.

        Args:
            query_string: As for parse().
            now: As for parse().
            strict: As for parse().

        Returns:
            A list of ApiError in the order of the parameters, empty if there are none. Checks run
            only if there are no other errors.
        """
        errors = cls._table.errors(query_string, now, strict)
        if errors or not cls._checks:
            return errors
        query = cls._table.read(cls, query_string, now, strict)
        return [error for check in cls._checks for error in _error_of(check, query)]

    @classmethod
    def from_tree(
        cls, tree: Mapping[str, Any], schema: Iterable[Column] | None = None
    ) -> "ListQuery":
        """Creates a query from the result of tree().

        Args:
            tree: A mapping in the form of tree(). Missing members have the values of an empty
                query.
            schema: The columns for conditions and sort keys; by default those of the class.

        Returns:
            A ListQuery, which has no parameters.

        Raises:
            ApiError: The tree is malformed, or uses a column that the schema lacks; the error names
                the member.
            TypeError: A column isn't a Column, or the tree contains values that JSON lacks.
            ValueError: Two columns have the same name, or a list column has another type than text.

        Example:
            >>> status = sluice.Column("status", collation="ignore_case")
            >>> tree = {"where": {"column": "status", "any_of": ["open"]}}
            >>> sluice.ListQuery.from_tree(tree, [status]).columns
            ('status',)
        """
        return BoundQuery.read_tree(ListQuery, tree, cls._columns if schema is None else schema)

    @overload
    def apply(  # type: ignore[overload-overlap]  # frames are iterables of columns
        self,
        rows: "pl.DataFrame | pl.LazyFrame",
        path: str = "",
        *,
        columns: "_Names" = None,
        most_counted: int | None = None,
    ) -> "Page[pl.DataFrame]": ...
    @overload
    def apply(
        self,
        rows: "Frame",
        path: str = "",
        *,
        columns: "_Names" = None,
        most_counted: int | None = None,
    ) -> "Page[Frame]": ...
    @overload
    def apply(
        self,
        rows: "Iterable[Row]",
        path: str = "",
        *,
        columns: "_Names" = None,
        most_counted: int | None = None,
    ) -> "Page[list[Row]]": ...
    def apply(
        self,
        rows: Any,
        path: str = "",
        *,
        columns: "_Names" = None,
        most_counted: int | None = None,
    ) -> "Page[Any]":
        """Selects the page of the query from rows in memory.

        Conditions are those of matches() for objects, and of mask() for frames. Nulls come first in
        ascending orders; texts are ordered by their bytes, choices by their place.

        Args:
            rows: A list, or any iterable, of mappings or objects, as for matches(); a frame of
                polars or pandas; a table or a record batch of pyarrow; or a relation of DuckDB,
                which is fetched once. A lazy frame is collected with the query's conditions.
            path: The path of the list, with which links begin; see sluice.pages.page_headers().
            columns: Names in the rows by the columns of the query's schema, such as
                {'total': 'price'}. None as a name says that the conditions on the column are known
                to hold.
            most_counted: The number of rows at which counting ends, if the request asks for a
                total; 0 never counts, and None counts all.

        Returns:
            A Page, whose rows are a list or a frame like `rows`; of a lazy frame it is a frame.

        Raises:
            TypeError: The rows, or values of a column, are of a type that isn't supported; the
                message names the column.
            ValueError: The rows lack a column, a value can't be read, or the query has a search
                without columns.
            ApiError: The cursor has keys that the columns can't hold.

        Example:
            >>> class Orders(sluice.ListQuery):
            ...     total = sluice.integer(operators=(">=", "<="))
            ...     order = sluice.sort("total")
            ...     page = sluice.page(default=2)
            >>> rows = [{"id": "a", "total": 9}, {"id": "b", "total": 5}, {"id": "c", "total": 7}]
            >>> page = Orders.parse("total[gte]=6&order=total&count=true").apply(rows)
            >>> [row["id"] for row in page.rows], page.total, page.has_more
            (['c', 'a'], 2, False)
        """
        from sluice._applied import apply

        return apply(self, rows, path, columns, most_counted)

    @classmethod
    def _check_orm(cls, orm: str) -> None:
        """Checks that an ORM supports all parameters.

        Raises:
            ValueError: It doesn't; the message names the class and the parameter.
        """
        try:
            check_kinds(cls._declarations, orm)
            check_tests(cls._table.tests(), cls._columns, orm)
        except ValueError as mistake:
            raise ValueError(f"{cls.__name__}: {mistake}") from None

    @property
    def aggregate(self) -> "Aggregate":
        """The groups and measures that a request names by group_by() and measures().

        Raises:
            AttributeError: The class has neither.
            ValueError: The query has a search without columns.
        """
        from sluice.groups import Aggregate

        tree = tree_of(
            self, {name: getattr(type(self), name) for name in self.places}, self._others
        )
        if tree is None:
            raise AttributeError(f"{type(self).__name__} has no group_by() and no measures()")
        return Aggregate(tree, self.schema)

    def to_query_string(self) -> str:
        """Returns the parameters as a query string, which parses to an equal query.

        Parameters without effect are left out.
        """
        return str(self)

    @classmethod
    def openapi_parameters(cls) -> list[dict[str, Any]]:
        """Returns the `parameters` of an OpenAPI 3.1 operation, as parsed JSON."""
        parameters: list[dict[str, Any]] = json.loads(cls._table.openapi())
        return parameters

    @classmethod
    def json_schema(cls) -> dict[str, Any]:
        """Returns a JSON Schema of an object with the parameters."""
        all_ = cls.openapi_parameters()
        described = {
            parameter["name"]: {**parameter["schema"], "description": parameter["description"]}
            for parameter in all_
        }
        schema: dict[str, Any] = {"title": cls.__name__, "type": "object", "properties": described}
        if cls.__doc__ and cls.__doc__ != ListQuery.__doc__:
            schema["description"] = cls.__doc__.strip().partition("\n")[0]
        required = [parameter["name"] for parameter in all_ if parameter["required"]]
        return {**schema, "required": required} if required else schema

    @classmethod
    def __get_pydantic_core_schema__(cls, *_: object) -> NoReturn:
        """Refuses to be a field, such as the argument of an endpoint of FastAPI."""
        name = cls.__name__
        dependency = f"Annotated[{name}, sluice.fastapi.Query({name})]"
        raise TypeError(f"{name}: no field of pydantic; FastAPI reads a request by {dependency}")

    def __setattr__(self, name: str, value: object) -> NoReturn:
        """Refuses changes."""
        raise AttributeError(f"{type(self).__name__} is immutable")

    def __delattr__(self, name: str) -> NoReturn:
        """Refuses changes."""
        raise AttributeError(f"{type(self).__name__} is immutable")


ListQuery._table = ParameterTable.make([], ListQuery._columns, "id")
ListQuery.__signature__ = inspect.signature(  # type: ignore[attr-defined]
    ListQuery.__init_subclass__
)
# Names that no parameter's attribute can have.
_TAKEN = frozenset(name for name in dir(ListQuery) if not name.startswith("__"))


def _members_of(cls: type) -> Iterator[tuple[str, Any]]:
    """Yields the members of a class and its bases, in the order of definition."""
    names = [name for base in reversed(cls.__mro__) for name in vars(base)]
    return ((name, getattr(cls, name, None)) for name in dict.fromkeys(names))


def _parameters_of(cls: type) -> Iterator[tuple[str, Parameter[Any]]]:
    """Yields the parameters of a class and its bases, by attribute.

    Raises:
        ValueError: An attribute is a likely mistake, or has the name of a member of ListQuery.
    """
    for name, member in _members_of(cls):
        if is_declaring(member):
            raise ValueError(f"{name}: sluice.{member.__name__} isn't called: write it with ()")
        if isinstance(member, tuple) and any(isinstance(item, Parameter) for item in member):
            raise ValueError(f"{name}: a tuple, expected a parameter: is there a comma after it?")
        if not isinstance(member, Parameter):
            continue
        if name in _TAKEN:
            raise ValueError(
                f"{name}: every query has an attribute of this name: rename it, and "
                f"give the parameter its name by name={name!r}"
            )
        yield name, member


def _key_of(key: object) -> Column:
    """Returns the unique column of a class."""
    if isinstance(key, list | tuple):
        raise TypeError("key: one column only")
    if not isinstance(key, str | Column):
        raise TypeError(f"key: expected a column's name or a Column, not {type(key).__name__}")
    return key if isinstance(key, Column) else Column(key)


def _columns_of(columns: object) -> tuple[Column, ...]:
    """Returns the columns of a class without parameters."""
    if not isinstance(columns, Iterable) or isinstance(columns, str):
        raise TypeError(f"columns: expected Columns, not {type(columns).__name__}")
    all_ = tuple(columns)
    for column in all_:
        if not isinstance(column, Column):
            raise TypeError(f"columns: expected Columns, not {type(column).__name__}")
    return all_


def _declared(parameters: Iterable[Parameter[Any]]) -> Iterator[Column]:
    """Yields the columns of parameters; is_null() makes that of another parameter nullable."""
    columns = [
        (column, isinstance(parameter, Single) and parameter.fits_any_type)
        for parameter in parameters
        for column in parameter.columns()
    ]
    nullable = {column.name for column, fits_any_type in columns if fits_any_type}
    typed = {column.name for column, fits_any_type in columns if not fits_any_type}
    for column, fits_any_type in columns:
        if not fits_any_type and column.name in nullable:
            yield replace(column, is_nullable=True)
        elif not (fits_any_type and column.name in typed):
            yield column


def _united(columns: Iterable[Column], key: Column) -> tuple[Column, ...]:
    """Returns the columns without duplicates, including the unique one."""
    united: dict[str, Column] = {}
    for column in columns:
        if united.setdefault(column.name, column) != column:
            raise ValueError(f"{column.name}: two parameters say different things of this column")
    return (*united.values(),) if key.name in united else (key, *united.values())


def _checks_of(cls: type) -> Iterator[Callable[[Any], None]]:
    """Returns the methods with @check, which raise ApiError only."""
    return (_refusing(member) for _, member in _members_of(cls) if getattr(member, CHECK, False))


def _refusing(check: Callable[[Any], None]) -> Callable[[Any], None]:
    """Returns a check whose ValueErrors become errors of the request."""

    @functools.wraps(check)
    def refuse(query: Any) -> None:  # noqa: ANN401 (as the check)
        try:
            check(query)
        except ApiError:
            raise
        except ValueError as refused:
            message = str(refused) or f"refused by {check.__name__}"
            code = "unprocessable_entity"
            raise ApiError(message, code=code, rule="check_failed") from refused

    return refuse


def _error_of(check: Callable[[Any], None], query: ListQuery) -> Iterator[ApiError]:
    """Yields the error of a check, if there is one."""
    try:
        check(query)
    except ApiError as error:
        yield error

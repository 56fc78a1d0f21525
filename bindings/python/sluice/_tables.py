# SPDX-License-Identifier: MIT
"""Converts tables of other packages for masks: Arrow data, and metadata as Python's objects."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any, TypeAlias

Table: TypeAlias = Any  # of any package
Column: TypeAlias = Any


def to_readable(table: Table, columns: list[str], documents: list[str]) -> Table:
    """Converts a table to one that exports Arrow data, or to a mapping of columns.

    Args:
        table: A frame, a table, a relation, a dataset, a scanner, or a mapping of columns. Others
            are returned unchanged.
        columns: The columns that will be read, with dots for fields of structs.
        documents: Those of them that hold JSON: structs, maps and lists become objects of Python.
    """
    package = package_of(table)
    if package == "polars":
        table, names = _of_polars(table, columns)
    elif package == "pandas":
        table, names = _of_pandas(table, columns)
    elif package in ("pyarrow", "duckdb"):
        table, names = _of_arrow(table, columns, documents)
    elif isinstance(table, Mapping):
        names = [*table]
    else:
        return table
    nested = {name: objects for name in documents if (objects := _objects(table, names, name))}
    return {**{name: table[name] for name in names}, **nested} if nested else table


def package_of(table: Table) -> str:
    """Returns the name of the package that an object's type belongs to."""
    return type(table).__module__.partition(".")[0].removeprefix("_")


def roots_of(names: Collection[str], columns: Collection[str]) -> list[str]:
    """Returns the columns of a table that contain `columns`; at least one, to count rows."""
    wanted = {name: None for column in columns for name in _beginnings(column) if name in names}
    return list(wanted) or list(names)[:1]


def _beginnings(column: str) -> Iterator[str]:
    """Yields `a.b.c`, `a` and `a.b` for `a.b.c`."""
    parts = column.split(".")
    yield column
    yield from (".".join(parts[:count]) for count in range(1, len(parts)))


def _of_polars(table: Table, columns: list[str]) -> tuple[Table, list[str]]:
    """Returns a frame, which is collected if it is lazy, and the names of its columns."""
    import polars as pl

    if isinstance(table, pl.LazyFrame):
        table = table.select(roots_of(table.collect_schema().names(), columns)).collect()
    return table, roots_of(table.columns, columns) if isinstance(table, pl.DataFrame) else []


def _of_pandas(table: Table, columns: list[str]) -> tuple[Table, list[str]]:
    """Returns the columns of a frame that are read, and their names."""
    if not hasattr(table, "columns"):
        return table, []
    names = roots_of([*table.columns], columns)
    return table[names], names


def _of_arrow(table: Table, columns: list[str], documents: list[str]) -> tuple[Table, list[str]]:
    """Returns a table, or a reader of batches if there are no structs, and the names of columns."""
    import pyarrow as pa

    if package_of(table) == "duckdb":
        table = relation_reader(table, columns)
    elif hasattr(table, "scanner"):
        table = table.scanner(roots_of(table.schema.names, columns))
    if hasattr(table, "to_reader") and not isinstance(table, pa.Table):
        table = table.to_reader()
    if isinstance(table, pa.RecordBatchReader):
        roots = (table.schema.field(name).type for name in roots_of(table.schema.names, documents))
        if documents and any(map(_is_nested, roots)):
            table = table.read_all()
    is_table = isinstance(table, pa.Table | pa.RecordBatch)
    return table, roots_of(table.schema.names, columns) if is_table else []


def relation_reader(relation: Table, columns: Collection[str]) -> Table:
    """Returns a reader of columns of a relation of DuckDB, as Arrow data."""
    quoted = ['"' + name.replace('"', '""') + '"' for name in roots_of(relation.columns, columns)]
    return relation.select(", ".join(quoted)).to_arrow_reader()


def _objects(table: Table, names: list[str], document: str) -> list[Any] | None:
    """Returns a column's documents as objects of Python; None if they are texts."""
    for name in _beginnings(document):
        if name in names:
            fields = document[len(name) + 1 :].split(".") if name != document else []
            return _objects_of(table[name], fields)
    return None


def _objects_of(column: Column, fields: list[str]) -> list[Any] | None:
    """Returns the values of a column, or of a field of its structs, unless they are texts."""
    package = package_of(column)
    if package == "pyarrow":
        import pyarrow.compute as pc

        leaf = pc.struct_field(column, fields) if fields else column
        if not _is_nested(leaf.type):
            return None
        return [*map(_without_maps, leaf.to_pylist())]
    if package == "polars":
        for name in fields:
            column = column.struct.field(name)
        return column.to_list() if column.dtype.is_nested() else None
    if package != "pandas" or column.dtype != object:
        return None
    values: list[Any] = column.tolist()
    for name in fields:
        values = [value.get(name) if isinstance(value, Mapping) else None for value in values]
    return values


def _without_maps(value: Any) -> Any:  # noqa: ANN401
    """Returns a value of pyarrow with maps, which are lists of pairs, as dicts.

    The last of repeated keys counts.
    """
    if isinstance(value, list) and value and isinstance(value[0], tuple):
        value = dict(value)
    if isinstance(value, dict):
        return {key: _without_maps(of) for key, of in value.items()}
    return [*map(_without_maps, value)] if isinstance(value, list) else value


def _is_nested(kind: Any) -> bool:  # noqa: ANN401
    """Returns true for pyarrow's types of structs, maps and lists."""
    import pyarrow as pa

    return bool(pa.types.is_nested(kind))

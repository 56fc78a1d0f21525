# SPDX-License-Identifier: MIT
"""The engines that evaluation is compared with: one file and one class each."""

from importlib import import_module

from ..cell import Missing
from .base import Engine

# Module, class, and the package without which it is missing.
ENGINES = {
    "NumPy": ("numpy_codes", "NumpyCodes", "numpy"),
    "NumPy bitmaps": ("numpy_bitmaps", "NumpyBitmaps", "numpy"),
    "pyroaring": ("roaring_bitmaps", "RoaringBitmaps", "pyroaring"),
    "tantivy": ("tantivy_index", "TantivyIndex", "tantivy"),
    "pyarrow": ("arrow_compute", "ArrowCompute", "pyarrow"),
    "polars": ("polars_frame", "PolarsFrame", "polars"),
    "pandas": ("pandas_frame", "PandasFrame", "pandas"),
    "DuckDB": ("duckdb_table", "DuckdbTable", "duckdb"),
    "chDB": ("chdb_table", "ChdbTable", "chdb"),
    "SQLite": ("sqlite_table", "SqliteTable", "sqlite3"),
}


def find_engine(name: str) -> type[Engine] | Missing:
    """The class of an engine, unless it isn't installed."""
    module, class_name, package = ENGINES[name]
    try:
        import_module(package)
    except ImportError as error:
        return Missing(f"{package} is not installed: {error}")
    engine: type[Engine] = getattr(import_module(f".{module}", __name__), class_name)
    return engine

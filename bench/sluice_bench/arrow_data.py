# SPDX-License-Identifier: MIT
"""The generated data as Arrow arrays."""

import numpy as np
import pyarrow as pa

from .data import Data


def dictionary_column(data: Data, name: str, begin: int = 0, end: int | None = None) -> pa.Array:
    """A column as a dictionary array; absent values are null."""
    codes = data.codes[name][begin:end]
    indices = codes.astype(np.int32) - 1
    texts = pa.array(data.texts[name], pa.string())
    return pa.DictionaryArray.from_arrays(pa.array(indices, mask=codes == 0), texts)


def id_column(data: Data, begin: int = 0, end: int | None = None) -> pa.Array:
    """The ids as strings."""
    texts = data.id_bytes(begin, end)
    offsets = np.arange(len(texts) + 1, dtype=np.int32) * texts.shape[1]
    return pa.StringArray.from_buffers(len(texts), pa.py_buffer(offsets), pa.py_buffer(texts))


def arrow_table(data: Data, begin: int = 0, end: int | None = None) -> pa.Table:
    """Rows as a table: id, time, dimensions, metadata and plan."""
    columns = {"id": id_column(data, begin, end), "time": pa.array(data.times[begin:end])}
    for name in data.codes:
        columns[name] = dictionary_column(data, name, begin, end)
    return pa.table(columns)

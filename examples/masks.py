# SPDX-License-Identifier: MIT
"""Filters over whole columns: NumPy, Arrow, and a table of events."""

from datetime import UTC, datetime

import numpy as np
import pyarrow as pa

import sluice

countries = pa.array(["FR", "US", None]).dictionary_encode()
print(np.asarray(sluice.Filter.parse("-US,CA").mask(countries)))

# A complete request: filters, the window, and the metadata expression.
events = {
    "timestamp": pa.array([datetime(2026, 8, day, tzinfo=UTC) for day in (1, 19, 20)]),
    "metadata": pa.array(['{"plan":"pro"}', '{"plan":"pro"}', '{"plan":"free"}']),
    "place": countries,
}
query = sluice.EventsQuery.parse(
    "event=leads&country=FR,US&start=2026-08-10&query=metadata['plan']:pro",
    now=datetime(2026, 8, 21, tzinfo=UTC),
)
print(pa.array(query.mask(events, columns={"country": "place"})))

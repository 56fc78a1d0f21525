# SPDX-License-Identifier: MIT
"""Groups of rows and their measures: counts, sums, averages, by columns and buckets of time.

```
tree = {"group_by": [{"column": "created", "bucket": "day", "zone": "Europe/Paris"}]}
days = sluice.groups.aggregate(orders, tree, columns)
```

aggregate() groups a program's own objects, aggregate_sql() the rows of a database.
"""

from sluice._sluice import aggregate, aggregate_sql

__all__ = ["aggregate", "aggregate_sql"]

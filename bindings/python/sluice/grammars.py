# SPDX-License-Identifier: MIT
"""Conditions in the grammars of API guidelines: OData, AIP-160, RSQL, CQL2, SCIM, PostgREST.

```
tree = sluice.grammars.parse_expression("odata", "total gt 5 and city eq 'Oslo'", columns)
query = sluice.ListQuery.from_tree(tree, columns)
```

The query is one of any engine: SQL, masks, frames, ORMs.
"""

from sluice._sluice import parse_expression, parse_order, write_expression

__all__ = ["parse_expression", "parse_order", "write_expression"]

// SPDX-License-Identifier: MIT
// The leaves of a query's tree: its conditions on columns.

import type { LeafTree, ListQuery, WhereTree } from "@sluice/sluice";

export type Leaf = LeafTree;

/** All leaves of a query's tree. */
export function leavesOf(query: ListQuery<object>): readonly Leaf[] {
  const below = (tree: WhereTree): readonly Leaf[] => {
    if ("column" in tree) return [tree];
    if ("all" in tree) return tree.all.flatMap(below);
    return "any" in tree ? tree.any.flatMap(below) : below(tree.not);
  };
  return below(query.tree().where);
}

/** The columns of the conditions, without duplicates. */
export function columnsOf(query: ListQuery<object>): readonly string[] {
  return [...new Set(leavesOf(query).map(({ column }) => column))];
}

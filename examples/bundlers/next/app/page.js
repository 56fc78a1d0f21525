// SPDX-License-Identifier: MIT
// The list, on the server.
import { orders } from "../orders.js";
import Search from "./search.js";

export default async function Page({ searchParams }) {
  const table = await orders;
  const asked = await searchParams;
  const errors = table.errors(asked);
  if (errors.length > 0) return <p>{errors[0].message}</p>;
  const query = table.parse(asked);
  const { text, parameters } = query.toSql("postgresql", "orders");
  return (
    <main>
      <Search />
      <code>{text}</code> <span>{parameters.length}</span>
      <a href={`?${query.with({ page: query.values.page.number + 1 })}`}>Next page</a>
    </main>
  );
}

// SPDX-License-Identifier: MIT
// The list, on the server.
import { orders } from "../orders.js";
import Search from "./search.js";

export default async function Page({ searchParams }) {
  const table = await orders;
  const parameters = await searchParams;
  const errors = table.errors(parameters);
  if (errors.length > 0) return <p>{errors[0].message}</p>;
  const query = table.parse(parameters);
  const statement = query.toSql("postgresql", "orders");
  return (
    <main>
      <Search />
      <code>{statement.text}</code>
      <a href={`?${query.with({ page: query.values.page.number + 1 })}`}>Next page</a>
    </main>
  );
}

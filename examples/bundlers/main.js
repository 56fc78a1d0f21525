// SPDX-License-Identifier: MIT
// A page whose form shows its errors, and its links keep the filters.
import { orders } from "./orders.js";

const table = await orders;
const [form, output, next] = ["form", "output", "a"].map((name) => document.querySelector(name));

function show() {
  const fields = new FormData(form);
  const errors = table.fieldErrors(fields);
  output.textContent = Object.values(errors).flat().map(({ message }) => message).join("\n");
  if (output.textContent !== "") return;
  const query = table.parse(fields);
  next.search = query.with({ page: query.values.page.number + 1 }).toQueryString();
}

form.addEventListener("input", show);
show();

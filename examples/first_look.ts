// SPDX-License-Identifier: MIT
import { events, load, parseFilter } from "@sluice/sluice";

await load(); // the WebAssembly module, once
console.log(parseFilter("-US,CA").matches("FR")); // true
const query = events.parse("country=US&start=last month&timezone=Europe/Paris");
console.log(query.values.start, query.toSql("postgresql", "clicks").text);
for (const error of events.errors("country=US,-CA&limit=0")) console.log(error.param, error.rule, error.offset);

// SPDX-License-Identifier: MIT
// Groups, measures and facets that requests name, over objects of your own and as SQL.
import { defineParams, facets, filter, groupBy, integer, load, measures, window } from "@sluice/sluice";

await load();

const endpoint = defineParams({
  country: filter({ column: { name: "country", isNullable: true } }),
  device: filter(),
  cents: integer({ operators: [">=", "<="] }),
  created: window({ default: "30d" }),
  groups: groupBy(["country", "device", "created"], { name: "groupBy", size: 10 }),
  measures: measures(["cents"]),
  facets: facets(["country", "device"]),
});
const orders = [
  { country: "US", device: "phone", cents: 1990, created: "2026-10-24T20:00:00Z" },
  { country: "DE", device: "phone", cents: 10, created: "2026-10-24T22:30:00Z" },
  { country: "US", device: "desktop", cents: 25000, created: "2026-10-25T22:59:00Z" },
  { country: null, device: "desktop", cents: 700, created: "2026-10-26T23:00:00Z" },
];
const now = new Date("2026-10-27T00:00:00Z");

const query = endpoint.parse("groupBy=country&measures=count,sum_cents&order=-sum_cents", { now });
console.log(JSON.stringify(query.aggregate().apply(orders)));
console.log(query.aggregate().toSql("postgresql", "orders").text);

// Buckets are those of the window's zone.
const days = endpoint.parse("groupBy=created.day&start=2026-10-24&timezone=Europe/Paris", { now });
console.log(JSON.stringify(days.aggregate().apply(orders)));

// Each facet leaves the conditions on its own column out.
console.log(JSON.stringify(endpoint.parse("facets=country,device&country=US", { now }).facets(orders)));

// A tree of your own, and the errors of requests.
const all = endpoint.parse("", { now });
const byDevice = all.aggregate({ group_by: [{ column: "device" }], measures: [{ measure: "max", column: "cents" }] });
console.log(JSON.stringify(byDevice.apply(orders)));
for (const error of endpoint.errors("groupBy=contry")) console.log(error.message);

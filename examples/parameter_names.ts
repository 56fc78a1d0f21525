// SPDX-License-Identifier: MIT
// Keeps the parameter names of an API that exists.
import { decimal, defineParams, filter, load, page, sort, texts, window } from "@sluice/sluice";

await load();
const goods = defineParams({
  price: decimal({ operators: [">=", "<"] }), // price__gte, price__lt
  weight: decimal({ operators: { ">=": "weight_from" } }),
  states: texts({ name: "status__in", column: "status" }),
  others: texts({ name: "status__not_in", column: "status", exclusion: "always" }),
  tags: filter({ name: "tags[]", lists: "repeated" }), // tags[]=a,b&tags[]=c
  created: window({ start: "created_after", end: "created_before", interval: null, default: "all" }),
  order: sort(["price", "weight"], { name: "ordering", form: "colon" }), // price:desc,weight
  page: page({ page: null, offset: "offset", cursor: "after", count: null }),
}, { names: "underscores", ignoreEmpty: true });

const query = goods.parse("price__gte=10&status__in=new,used&ordering=price:desc&offset=40&weight_from=");
console.log(query.values.price.gte, query.values.states, query.values.order, query.values.page.offset);

// SPDX-License-Identifier: MIT
// The parameters of GET /events in zod.
import { z } from "zod";

const maxValues = 1000;
const maxBytes = 10000;

/** Items of a list in which a backslash escapes commas, dashes and itself. */
function splitEscaped(text) {
  const items = [""];
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === ",") {
      items.push("");
    } else if (text[at] === "\\") {
      at += 1;
      if (!",-\\".includes(text[at] ?? "?")) return null;
      items[items.length - 1] += text[at];
    } else {
      items[items.length - 1] += text[at];
    }
  }
  return items;
}

/** An advanced filter: any of some values, or none of them. */
function filter(accepts = () => true) {
  return z
    .string()
    .max(maxBytes)
    .transform((text, context) => {
      const excludes = text.startsWith("-");
      const body = excludes ? text.slice(1) : text;
      const escaped = body.includes("\\");
      if (!escaped && (body.startsWith("-") || body.includes(",-"))) {
        context.addIssue("'-' before a single item");
        return z.NEVER;
      }
      const values = (escaped ? splitEscaped(body) : body.split(","))?.filter((item) => item);
      if (!values || values.length > maxValues || !values.every(accepts)) {
        context.addIssue("not a filter");
        return z.NEVER;
      }
      return { excludes, values };
    })
    .optional();
}

const triggers = new Set(["qr", "link", "pageview"]);
const continents = new Set(["af", "an", "as", "eu", "na", "oc", "sa", "unknown"]);
const isCountry = (value) => /^(?:[a-z]{2}|unknown)$/i.test(value);
const boolean = z
  .enum(["true", "false"])
  .transform((text) => text === "true")
  .optional();
const order = z.enum(["asc", "desc"]).default("desc");
const text = z.string().optional();

const textFilters = [
  "domain", "linkId", "tenantId", "tagId", "folderId", "partnerTagId", "groupId", "partnerId",
  "city", "region", "device", "browser", "os", "referer", "refererUrl", "url", "utm_source",
  "utm_medium", "utm_campaign", "utm_term", "utm_content", "tagIds",
];

const schema = z
  .object({
    event: z.enum(["clicks", "leads", "sales"]).default("clicks"),
    ...Object.fromEntries(textFilters.map((name) => [name, filter()])),
    country: filter(isCountry),
    continent: filter((value) => continents.has(value.toLowerCase())),
    trigger: filter((value) => triggers.has(value)),
    key: text,
    externalId: z.string().startsWith("ext_").optional(),
    customerId: text,
    programId: text,
    interval: z.enum(["24h", "7d", "30d", "90d", "1y", "mtd", "qtd", "ytd", "all"]).default("24h"),
    start: z.coerce.date().optional(),
    end: z.coerce.date().optional(),
    timezone: z.string().default("UTC"),
    root: boolean,
    qr: boolean,
    saleType: z.enum(["new", "recurring"]).optional(),
    query: z.string().max(10000).optional(),
    page: z.coerce.number().int().min(1).default(1),
    limit: z.coerce.number().int().min(1).max(1000).default(100),
    sortOrder: order,
    sortBy: z.enum(["timestamp"]).default("timestamp"),
    order,
  })
  .refine((query) => query.key === undefined || query.domain !== undefined)
  .refine((query) => query.saleType === undefined || query.event === "sales")
  .refine((query) => query.query === undefined || query.event !== "clicks");

/** From the raw query string. */
export function parse(queryString) {
  return schema.parse(Object.fromEntries(new URLSearchParams(queryString)));
}

const defaults = {
  event: "clicks", interval: "24h", timezone: "UTC", page: "1", limit: "100", sortOrder: "desc",
  sortBy: "timestamp",
};
const uncompared = new Set(["start", "end", "query", "order"]);

/** What was parsed, as sluice_bench/validators/rules.py has it. */
export function canonical(query) {
  const sortOrder = query.order === "asc" ? "asc" : query.sortOrder;
  return Object.fromEntries(
    Object.entries({ ...query, sortOrder })
      .filter(([name, value]) => value !== undefined && !uncompared.has(name))
      .map(([name, value]) => [name, textOf(value)])
      .filter(([name, value]) => value !== defaults[name])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

function textOf(value) {
  return Array.isArray(value?.values)
    ? (value.excludes ? "-" : "") + value.values.join(",")
    : String(value);
}

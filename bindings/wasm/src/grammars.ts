// SPDX-License-Identifier: MIT
// Parameters in the grammars of guidelines: whole conditions and orders.

import { checkChoice, checkObject, checkOptions, checkText, checkTexts, GRAMMARS, memberOf, TESTS } from "./checks.js";
import {
  type Declaration, type Named, page, type PageRequest, Parameter, type Parameters as AllParameters, type SortKey, type Words,
} from "./params.js";
import { keepNames, keepText } from "./query_text.js";

/** A grammar of conditions in a guideline for APIs. */
export type Grammar = (typeof GRAMMARS)[number];

/** Options of parameters in a grammar. */
export interface GrammarOptions extends Omit<Words, "column"> {
  /**
   * The columns that clients may name: names of the endpoint's parameters, which stand for their
   * columns, or of columns; by default all.
   */
  readonly columns?: readonly string[];
  /** Names that clients use in place of those of columns, such as `{ createTime: "created" }`. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** The value of requests without the parameter. */
  readonly default?: string;
}

/** Options of a condition. */
export interface ExpressionOptions extends GrammarOptions {
  /** Tests that a column allows, by the name of clients, such as `{ total: ["bounds"] }`; others allow all. */
  readonly tests?: Readonly<Record<string, readonly string[]>>;
  /** Columns of texts in which AIP-160 searches words without a column. */
  readonly searched?: readonly string[];
  /** True if requests must have it. */
  readonly required?: boolean;
}

const NAMES = ["name", "help", "accepts", "deprecated", "columns", "aliases", "default"];

/** The columns of a declaration, with the aliases first. */
function namedColumns(options: ExpressionOptions, others: AllParameters): readonly Named[] {
  const { columns = [], aliases = {} } = options;
  const tests = options.tests ?? {};
  const columnOf = (key: string) => memberOf(others, key)?.columns(key)[0]?.name ?? key;
  const named = (name: string, column: string): Named => ({
    name,
    column: columnOf(column),
    tests: memberOf(tests, name) ?? [],
  });
  const renamed = Object.entries(checkObject("aliases", aliases)).map(([name, column]) => named(name, checkText(`aliases: ${name}`, column)));
  const isRenamed = (column: string) => renamed.some((other) => other.column === columnOf(column));
  const kept = checkTexts("columns", columns).filter((column) => !isRenamed(column));
  return [...renamed, ...kept.map((column) => named(column, column))];
}

/** Tests by the name of clients; throws a TypeError for others, which would allow all. */
function checkTests(tests: NonNullable<ExpressionOptions["tests"]>): void {
  for (const [name, names] of Object.entries(checkObject("tests", tests))) {
    if (checkTexts(`tests: ${name}`, names).length === 0) throw new TypeError(`tests: ${name}: expected at least one`);
    for (const test of names) checkChoice<string>(`tests: ${name}`, test, TESTS);
  }
}

/** A parameter of a kind of declaration in a grammar. */
function inGrammar<T>(kind: string, grammar: Grammar, options: ExpressionOptions, toValue: (value: unknown) => T): Parameter<T> {
  checkChoice("grammar", grammar, GRAMMARS);
  checkTests(options.tests ?? {});
  if (kind === "condition" && options.searched?.length && grammar !== "aip160") {
    throw new TypeError(`searched: only aip160 has words without a column, not ${grammar}`);
  }
  const declare = (name: string, others: AllParameters): Declaration => ({
    kind,
    name: options.name ?? name,
    help: options.help ?? "",
    accepts: options.accepts ?? "",
    deprecated: options.deprecated ?? false,
    required: options.required ?? false,
    absent: options.default,
    searched: checkTexts("searched", options.searched ?? []),
    grammar,
    named: namedColumns(options, others),
    offersAll: options.columns === undefined,
    tests: options.tests ?? {},
  });
  return new Parameter(() => [], (name, others) => [declare(name, others)], () => (values, at) => toValue(values[at]));
}

/**
 * A whole condition as text, which joins those of other parameters by AND: `total gt 5 or city eq
 * 'Oslo'` in OData. The value is the text, or null if all rows meet it.
 */
export function expression(grammar: Grammar, options: ExpressionOptions = {}): Parameter<string | null> {
  checkOptions("expression", options, [...NAMES, "tests", "searched", "required"]);
  return inGrammar("condition", grammar, options, (value) => value as string | null);
}

/**
 * The order in the form of a guideline, such as `total desc,created`. The unique column is always
 * appended. The value has the names of columns.
 */
export function ordering(grammar: Grammar, options: GrammarOptions = {}): Parameter<readonly SortKey[]> {
  checkOptions("ordering", options, NAMES);
  return inGrammar("order", grammar, options, toKeys);
}

/** The value of an order, which keeps its text. */
function toKeys(value: unknown): readonly SortKey[] {
  const [text, keys] = value as readonly [string, readonly SortKey[]];
  return keepText(keys, text);
}

/** The parameters of a guideline in a request. */
export interface GuidelineRequest {
  /** The text of the condition, or null if all rows meet it. */
  readonly filter: string | null;
  /** The sort keys, with names of columns. */
  readonly order: readonly SortKey[];
  readonly page: PageRequest;
  /** The text of the search of OData, or null. */
  readonly search: string | null;
}

/** Options of the parameters of a guideline. */
export interface GuidelineOptions extends Pick<ExpressionOptions, "columns" | "aliases" | "tests"> {
  /** The order of requests without one. */
  readonly order?: string;
  /** The rows per page of requests without a size. */
  readonly default?: number;
  /** The maximum of the size, which larger ones stand for. */
  readonly maximum?: number;
}

/** A guideline: its grammar, and the names of its parameters. */
interface Guideline {
  readonly grammar: Grammar;
  readonly style: string;
  readonly filter: string;
  readonly order: string;
  readonly page: Omit<NonNullable<Parameters<typeof page>[0]>, "default" | "maximum" | "prefix">;
  readonly rest?: Declaration;
}

type Searching = Pick<ExpressionOptions, "searched">;

/** The parameters of a guideline as a group. */
function guideline(of: Guideline, options: GuidelineOptions & Searching): Parameter<GuidelineRequest> {
  const { order, default: size = 100, maximum = 1000, ...columns } = options;
  const ordered = { ...columns, tests: {}, searched: [], ...(order === undefined ? {} : { default: order }) };
  const parts = [
    inGrammar("condition", of.grammar, { ...columns, name: of.filter }, (value) => value as string | null),
    inGrammar("order", of.grammar, { ...ordered, name: of.order }, toKeys),
  ] as const;
  const pages = page({ ...of.page, default: size, maximum });
  const rest = of.rest ? [of.rest] : [];
  return new Parameter(
    () => [],
    (name, others) => [
      ...parts.flatMap((part) => part.declarations(name, others)),
      ...rest,
      ...pages.declarations(name, others).map((declaration) => ({ ...declaration, style: of.style })),
    ],
    (names) => {
      const toPage = pages.conversion(names.slice(-1));
      const keep = keepNames({ filter: of.filter, order: of.order, page: "page", search: "$search" });
      return (values, at) => {
        const value = {
          filter: values[at] as string | null,
          order: toKeys(values[at + 1]),
          page: toPage(values, at + names.length - 1),
          search: of.rest?.kind === "search" ? (values[at + 2] as string | null) : null,
        };
        return keep(value);
      };
    },
  );
}

const OPTIONS = ["columns", "aliases", "tests", "order", "default", "maximum"];

/**
 * The parameters of OData 4.01: `$filter`, `$orderby`, `$skip`, `$top`, `$skiptoken` and `$count`;
 * with columns in `searched` also `$search`, for rows with each word and phrase in any of them.
 * A token of a request with other arguments is malformed (400). A `$top` of 0 is a page without rows.
 */
export function odata(options: GuidelineOptions & Searching = {}): Parameter<GuidelineRequest> {
  checkOptions("odata", options, [...OPTIONS, "searched"]);
  const { searched = [], ...others } = options;
  const search: Declaration = { kind: "search", words: "odata", name: "$search", searched: checkTexts("searched", searched) };
  const rest = searched.length > 0 ? { rest: search } : {};
  const names = { page: null, offset: "$skip", limit: "$top", cursor: "$skiptoken", count: "$count" };
  return guideline({ grammar: "odata", style: "odata", filter: "$filter", order: "$orderby", page: names, ...rest }, others);
}

/**
 * The parameters of Google's AIPs: `filter`, `order_by`, `skip`, `page_size` and `page_token`. A
 * `page_size` of 0 is the default. Words without a column are searched in `searched`.
 */
export function aip(options: GuidelineOptions & Searching = {}): Parameter<GuidelineRequest> {
  checkOptions("aip", options, [...OPTIONS, "searched"]);
  const names = { page: null, offset: "skip", limit: "page_size", cursor: "page_token", count: null };
  return guideline({ grammar: "aip160", style: "aip", filter: "filter", order: "order_by", page: names }, options);
}

/**
 * The parameters of SCIM: `filter`, `sortBy`, `sortOrder`, `startIndex`, `count` and `cursor`. A `startIndex`
 * below 1 is 1, a negative `count` 0. All rows are counted unless the page is at a cursor.
 */
export function scim(options: GuidelineOptions = {}): Parameter<GuidelineRequest> {
  checkOptions("scim", options, OPTIONS);
  const names = { page: null, offset: "startIndex", limit: "count", cursor: "cursor", count: null };
  const rest = { kind: "direction", name: "sortOrder", choices: ["ascending", "descending"] };
  return guideline({ grammar: "scim", style: "scim", filter: "filter", order: "sortBy", page: names, rest }, options);
}

// SPDX-License-Identifier: MIT
// Filters, parameters, pages and rate limits of list APIs, with the semantics of the servers.

export { ApiError, type ErrorCode } from "./errors.js";
export {
  type Collation,
  Filter,
  type Json,
  MetadataQuery,
  type MetadataTree,
  parseFilter,
  parseMetadataQuery,
} from "./expressions.js";
export { defineParams, type NoValues, ParameterTable, type StandardResult, type StandardSchema, type TableOptions, type Values } from "./define_params.js";
export { type EventsParameters, fetchEvents, type FetchOptions } from "./fetch_events.js";
export {
  aip,
  expression,
  type ExpressionOptions,
  type Grammar,
  type GrammarOptions,
  type GuidelineOptions,
  type GuidelineRequest,
  odata,
  ordering,
  scim,
} from "./grammars.js";
export { type ErrorAnswer, toAipError, toODataError, toScimError } from "./guideline_errors.js";
export {
  type Algorithm,
  ALGORITHMS,
  decide,
  type Decision,
  type LimitOptions,
  type LimitState,
} from "./limits.js";
export {
  type CursorOptions,
  type Dialect,
  type Endpoint,
  type LeafTree,
  ListQuery,
  type Place,
  type QueryTree,
  type SortKeyTree,
  type SqlOptions,
  type SqlValue,
  type Statement,
  type WhereTree,
} from "./list_query.js";
export { load, memorySize, type WasmSource } from "./module.js";
export type {
  Click,
  ClickEvent,
  Customer,
  EventRecords,
  EventsValues,
  LeadEvent,
  Link,
  Sale,
  SaleEvent,
  Tag,
  TagsValues,
  TestVariant,
} from "./openapi.js";
export {
  boolean,
  type Bounds,
  choice,
  type Column,
  type ColumnType,
  contains,
  date,
  decimal,
  endsWith,
  filter,
  integer,
  isNull,
  metadata,
  type Operator,
  page,
  type PageRequest,
  Parameter,
  real,
  search,
  sort,
  type SortKey,
  startsWith,
  text,
  texts,
  time,
  uuid,
  window,
  type Words,
  type Exclusion,
  type ListForm,
  type NameStyle,
  type OperatorNames,
  type SearchForm,
  type SortForm,
} from "./params.js";
export {
  type ParseOptions,
  type QueryPairs,
  type QueryParameters,
  type QueryText,
  type QueryValue,
  toQueryString,
} from "./query_text.js";
export { events, parseEvents, parseTags, tags } from "./service.js";
export {
  type Interval,
  resolveTime,
  resolveWindow,
  type TimeOptions,
  type Window,
  type WindowOptions,
} from "./times.js";

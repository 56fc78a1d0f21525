// SPDX-License-Identifier: MIT
// The parameters of a query string, their positions in it, and changed query strings.

/** A parameter of a query string, decoded. Positions are in the encoded text. */
export interface Pair {
  readonly name: string;
  readonly value: string;
  /** The range of the parameter in the text. */
  readonly start: number;
  readonly end: number;
  /** The begin of the value; the parameter's end if it has none. */
  readonly valueStart: number;
}

/** The parameters of a query string, in order. */
export function pairsOf(text: string): readonly Pair[] {
  const pairs: Pair[] = [];
  let start = text.startsWith("?") ? 1 : 0;
  for (const part of text.slice(start).split("&")) {
    const end = start + part.length;
    const equals = part.indexOf("=");
    const valueStart = equals < 0 ? end : start + equals + 1;
    const name = decode(part.slice(0, equals < 0 ? part.length : equals));
    if (part) pairs.push({ name, value: decode(text.slice(valueStart, end)), start, end, valueStart });
    start = end + 1;
  }
  return pairs;
}

/** Decodes a name or value of a query string, `+` as a space. */
function decode(text: string): string {
  return new URLSearchParams(`x=${text.replaceAll("&", "%26")}`).get("x") ?? "";
}

/** Encodes a value for a query string, keeping it readable. */
export function encode(value: string): string {
  const code = (character: string) => character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0");
  return value.replace(/[%&+#\u0000-\u001f]/g, (character) => `%${code(character)}`);
}

/** Encodes a name for a query string. */
function encodeName(name: string): string {
  return encode(name).replaceAll("=", "%3D");
}

/** The query string of parameters. */
export function textOf(pairs: readonly { readonly name: string; readonly value: string }[]): string {
  return pairs.map(({ name, value }) => `${encodeName(name)}=${encode(value)}`).join("&");
}

/** Sets a parameter of a query string, replacing all of its name; null removes it. */
export function withValue(text: string, name: string, value: string | null): string {
  const pairs = pairsOf(text);
  const index = pairs.findIndex((pair) => pair.name === name);
  const others = pairs.filter((pair) => pair.name !== name);
  if (value !== null) others.splice(index < 0 ? others.length : index, 0, { ...EMPTY, name, value });
  return textOf(others);
}
/** A pair without position, for parameters that are added. */
const EMPTY: Pair = { name: "", value: "", start: 0, end: 0, valueStart: 0 };

/** The query string with only the parameters whose names are kept. */
export function keepPairs(text: string, isKept: (name: string) => boolean): string {
  return textOf(pairsOf(text).filter(({ name }) => isKept(name)));
}

/** The position in an encoded text `raw` of index `index` in the decoded value. */
export function rawIndexOf(raw: string, index: number): number {
  let position = 0;
  while (position < raw.length && decode(raw.slice(0, position)).length < index) {
    position += raw[position] === "%" && /^%[0-9a-f]{2}/i.test(raw.slice(position)) ? 3 : 1;
    while (/^%[89ab][0-9a-f]/i.test(raw.slice(position))) position += 3; // UTF-8 continuation bytes
  }
  return position;
}

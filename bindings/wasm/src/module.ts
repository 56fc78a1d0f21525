// SPDX-License-Identifier: MIT
// Loads and calls the WebAssembly module; native/abi.hpp is the other side.

import { ApiError, type ErrorMembers } from "./errors.js";
import { Filter, MetadataQuery } from "./expressions.js";
import { zoneNames, zoneOffset } from "./zones.js";

/** An argument of a call; null if it is absent. @internal */
export type Field = string | number | bigint | boolean | null;

/** A value of a custom type, and its canonical text. @internal */
export interface Custom {
  readonly text: string;
  readonly value: unknown;
}
/** Reads a text of a custom type, or throws the error that refuses it. @internal */
export type Reader = (text: string) => Custom;

/** The source of the module, if it isn't beside the package's files. */
export type WasmSource = string | URL | Response | BufferSource | WebAssembly.Module;

/** A function of the module; returns the address of its answer. */
type NativeFunction = (numbers: number, count: number, text: number, size: number) => number;

interface Exports {
  readonly memory: WebAssembly.Memory;
  _initialize(): void;
  allocate(size: number): number;
  deallocate(address: number): void;
  release(handle: number): void;
  readonly [name: string]: unknown;
}

const encoder = new TextEncoder();
// Texts of an answer follow each other: a byte order mark is part of the first one.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

let loaded: Exports | undefined;
let loading: Promise<void> | undefined;

/**
 * Loads the WebAssembly module, once. Nothing is fetched before the first call.
 *
 * @param source An address, a response, its bytes, or a compiled module. By default the file
 *   `sluice.wasm` beside this one.
 */
export function load(source?: WasmSource | Promise<WasmSource>): Promise<void> {
  loading ??= instantiate(source).catch((reason: unknown) => {
    loading = undefined;
    throw reason;
  });
  return loading;
}

async function instantiate(source?: WasmSource | Promise<WasmSource>): Promise<void> {
  const module = await compile((await source) ?? new URL("./sluice.wasm", import.meta.url));
  const instance = await WebAssembly.instantiate(module, { host: HOST });
  loaded = { ...instance.exports } as Exports; // a plain object is read quicker
  loaded._initialize();
}

async function compile(source: WasmSource): Promise<WebAssembly.Module> {
  if (source instanceof WebAssembly.Module) return source;
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return WebAssembly.compile(source);
  if (typeof Response !== "undefined" && source instanceof Response) {
    if (!source.ok) throw new Error(`${source.url}: ${source.status}`);
    return WebAssembly.compile(await source.arrayBuffer());
  }
  // A name of its own, or webpack takes all files of this folder for possible sources. Next leaves the
  // path of the source file in it, and the address of an asset relative to the page.
  const here = import.meta.url;
  const isSource = here.startsWith("file:") && typeof location !== "undefined";
  const url = new URL(String(source), isSource ? location.href : here);
  return url.protocol === "file:" && isNode()
    ? WebAssembly.compile(await readFile(url))
    : compile(await fetch(url));
}

function isNode(): boolean {
  const host = globalThis as { process?: { versions?: { node?: string } }; Deno?: unknown };
  return host.process?.versions?.node !== undefined && host.Deno === undefined;
}

/** Reads a file in Node.js, whose fetch doesn't. The comments make bundlers keep the import. */
async function readFile(url: URL): Promise<Uint8Array<ArrayBuffer>> {
  const name = "node:fs/promises";
  const files = await import(/* webpackIgnore: true */ /* @vite-ignore */ name);
  return files.readFile(url);
}

/** The functions that the module imports; native/host.cpp and native/zones.cpp declare them. */
const HOST = {
  parse_real: (address: number, size: number) => Number(decoder.decode(bytesAt(address, size))),
  real_text: (number: number, address: number) =>
    encoder.encodeInto(realText(number), bytesAt(address, 32)).written,
  zone_names: () => write(encoder.encode(`${zoneNames().join("\n")}\n\0`)),
  zone_offset: zoneOffset,
  read_value: readValue,
};

/** The bytes of the module's memory at an address, until the next call. */
function bytesAt(address: number, size: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(exports().memory.buffer, address >>> 0, size);
}

/**
 * The shortest text that parses back to a finite number, in the form of std::to_chars of C++: with
 * an exponent only if that is shorter, and all digits of a whole number. @internal
 */
export function realText(number: number): string {
  const scientific = number.toExponential().replace(/[+-]\d$/, (sign) => `${sign[0]}0${sign[1]}`);
  const plain = Number.isInteger(number) ? String(BigInt(number)) : String(number);
  return plain.includes("e") || plain.length > scientific.length ? scientific : plain;
}

/** The functions of the loaded module. @internal */
export function exports(): Exports {
  if (!loaded) throw new Error("sluice is not loaded: await load() first");
  return loaded;
}

/** Copies bytes into the module's memory and returns their address; the called function owns them. */
function write(bytes: Uint8Array): number {
  const address = exports().allocate(bytes.length);
  bytesAt(address, bytes.length).set(bytes);
  return address;
}

// --- Calls; native/abi.hpp is the other side ---------------------------------------------------

/** The tags of values in the order of native/abi.hpp. */
const [NOTHING, NO, YES, NUMBER, TEXT, DIGITS, JSON_TEXT, LIST, OBJECT, END, TIME, FILTER, METADATA, WINDOW, PAGE, SORT_KEY, REFUSAL, ERROR, MISTAKE, CUSTOM] =
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19] as const;

/** The errors with which a function refuses its arguments. @internal */
export class Refusal {
  constructor(readonly errors: readonly ErrorMembers[]) {}
}

/** The memory of the module as bytes and numbers; renewed when it has grown. */
let bytes = new Uint8Array();
let doubles = new Float64Array();
let words = new Uint32Array();

function viewMemory(): void {
  if (bytes.length > 0) return; // views of memory that has grown have no length
  const { buffer } = exports().memory;
  bytes = new Uint8Array(buffer);
  doubles = new Float64Array(buffer);
  words = new Uint32Array(buffer);
}

/** The memory for arguments that most calls share, unless they come within another call. */
const SHARED_SIZE = 1 << 16;
let shared = 0;
let isFree = true;

/** The readers of a call, and the values that they have read. */
interface Reading {
  readonly readers: readonly Reader[];
  readonly values: unknown[];
}
const NO_READING: Reading = { readers: [], values: [] };
/** The reading of the call that runs. */
let active = NO_READING;

/** Reads a text of a custom type for the module; the reply is that of native/custom_types.cpp. */
function readValue(place: number, address: number, size: number): number {
  const reply = (text: string, offset: number, length: number) => {
    const written = encoder.encode(text);
    const bytes = new Uint8Array(12 + written.length);
    bytes.set(new Uint8Array(Uint32Array.of(written.length, offset, length).buffer));
    bytes.set(written, 12);
    return write(bytes);
  };
  try {
    const { text, value } = active.readers[place]!(decoder.decode(bytesAt(address, size)));
    return reply(text, 0xffffffff, active.values.push(value) - 1);
  } catch (error) {
    return error instanceof ApiError ? reply(error.rule, error.offset, error.length) : reply("", 0, 0);
  }
}

/** Calls a function of the module, and returns its answer or refusal; `readers` are called by it. @internal */
export function answerOf<T>(name: string, fields: readonly Field[], readers: readonly Reader[] = []): T | Refusal {
  const { allocate, deallocate, [name]: target } = exports();
  let size = 40 * fields.length; // a tag, a number and the digits of a bigint each
  for (const field of fields) if (typeof field === "string") size += 3 * field.length; // of UTF-8
  if (shared === 0) shared = allocate(SHARED_SIZE);
  const canShare = isFree && size <= SHARED_SIZE;
  const block = (canShare ? shared : allocate(size)) >>> 0;
  const outer = active;
  try {
    isFree = false;
    active = readers.length > 0 ? { readers, values: [] } : NO_READING;
    viewMemory();
    const text = block + 16 * fields.length;
    let number = block >>> 3;
    let end = text;
    for (const field of fields) {
      if (typeof field === "string" || typeof field === "bigint") {
        const { written } = encoder.encodeInto(String(field), bytes.subarray(end));
        doubles[number++] = typeof field === "string" ? TEXT : DIGITS;
        doubles[number++] = written;
        end += written;
      } else if (typeof field === "number") {
        doubles[number++] = NUMBER;
        doubles[number++] = field;
      } else {
        doubles[number++] = field === null ? NOTHING : field ? YES : NO;
      }
    }
    const answer = (target as NativeFunction)(block, number - (block >>> 3), text, end - text);
    return readAnswer(answer >>> 2) as T | Refusal;
  } finally {
    active = outer;
    if (canShare) isFree = true;
    else deallocate(block);
  }
}

/** Calls a function of the module and returns its value; throws its error. @internal */
export function call<T>(name: string, ...fields: readonly Field[]): T {
  const answer = answerOf<T>(name, fields);
  if (answer instanceof Refusal) throw new ApiError(answer.errors[0]!);
  return answer;
}

/** The answer that is read: the index of its next number, its texts, and the place of the next one. */
let next = 0;
let texts = "";
let place = 0;

/** Reads the answer whose description is at an index of `words`. */
function readAnswer(index: number): unknown {
  viewMemory();
  next = words[index]! >>> 3;
  place = 0;
  const [from, size] = [words[index + 2]!, words[index + 3]!];
  texts = size === 0 ? "" : decoder.decode(bytes.subarray(from, from + size));
  return read();
}

function readText(): string {
  const from = place;
  place += doubles[next++]!;
  return texts.slice(from, place);
}

/** Reads the next value. */
function read(): unknown {
  switch (doubles[next++]! | 0) {
    case NOTHING: return null;
    case NO: return false;
    case YES: return true;
    case NUMBER: return doubles[next++];
    case TEXT: return readText();
    case DIGITS: return BigInt(readText());
    case JSON_TEXT: return JSON.parse(readText());
    case LIST: return readList();
    case OBJECT: return readObject();
    case TIME: return new Date(doubles[next++]!);
    case FILTER: return new Filter(read() as string, read() as boolean, read() as string[]);
    case METADATA: return new MetadataQuery(read() as string);
    case WINDOW: return { start: read(), end: read(), interval: read(), timezone: read() };
    case PAGE: return { number: read(), offset: read(), limit: read(), cursor: read(), count: read() };
    case SORT_KEY: return { name: read(), descending: read() };
    case CUSTOM: return { text: read(), value: active.values[read() as number] };
    case REFUSAL: return new Refusal(read() as ErrorMembers[]);
    case ERROR: return readError();
    case MISTAKE: throw new TypeError(read() as string);
    default: throw new Error("sluice.wasm is of another version than the package");
  }
}

function readList(): unknown[] {
  const items: unknown[] = [];
  while (doubles[next] !== END) items.push(read());
  next++;
  return items;
}

function readObject(): object {
  const members: Record<string, unknown> = {};
  while (doubles[next] !== END) {
    const name = read() as string;
    members[name] = read();
  }
  next++;
  return members;
}

function readError(): ErrorMembers {
  const [code, status, rule] = [read(), read(), read()] as [ErrorMembers["code"], number, string];
  const [param, offset, length] = [read(), read(), read()] as [string | null, number, number];
  return { code, status, rule, param, offset, length, message: read() as string, text: read() as string | null };
}

/** The size of the module's memory in bytes, which never shrinks. */
export function memorySize(): number {
  return exports().memory.buffer.byteLength;
}

// SPDX-License-Identifier: MIT
// Loads and calls the WebAssembly module; native/abi.hpp is the other side.

import { ApiError, type ErrorMembers } from "./errors.js";
import { zoneNames, zoneOffset } from "./zones.js";

/** An argument of a call; null if it is absent. */
export type Field = string | number | bigint | boolean | null;

/** The source of the module, if it isn't beside the package's files. */
export type WasmSource = string | URL | Response | BufferSource | WebAssembly.Module;

interface Exports {
  readonly memory: WebAssembly.Memory;
  _initialize(): void;
  allocate(size: number): number;
  release(handle: number): void;
  readonly [name: string]: unknown;
}

type Answer<T> =
  | { readonly value: T }
  | { readonly errors: readonly ErrorMembers[] }
  | { readonly mistake: string };

const ABSENT = 0xffffffff;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

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
  loaded = instance.exports as Exports;
  loaded._initialize();
}

async function compile(source: WasmSource): Promise<WebAssembly.Module> {
  if (source instanceof WebAssembly.Module) return source;
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return WebAssembly.compile(source);
  if (typeof Response !== "undefined" && source instanceof Response) {
    if (!source.ok) throw new Error(`${source.url}: ${source.status}`);
    return WebAssembly.compile(await source.arrayBuffer());
  }
  const url = new URL(source as string | URL, import.meta.url);
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

function exports(): Exports {
  if (!loaded) throw new Error("sluice is not loaded: await load() first");
  return loaded;
}

/**
 * Copies bytes into the module's memory and returns their address; the called function owns them.
 */
function write(bytes: Uint8Array): number {
  const address = exports().allocate(bytes.length);
  bytesAt(address, bytes.length).set(bytes);
  return address;
}

/** Writes arguments into the module's memory, in the format of native/abi.hpp. */
function writeFields(fields: readonly Field[]): readonly [address: number, size: number] {
  const texts = fields.map((field) => (field === null ? null : String(field)));
  // A code unit has at most three bytes in UTF-8.
  const most = texts.reduce((sum, text) => sum + 4 + (text?.length ?? 0) * 3, 0);
  const address = exports().allocate(most);
  const bytes = bytesAt(address, most);
  const view = new DataView(bytes.buffer, bytes.byteOffset, most);
  let offset = 0;
  for (const text of texts) {
    const size = text === null ? ABSENT : encoder.encodeInto(text, bytes.subarray(offset + 4)).written;
    view.setUint32(offset, size, true);
    offset += 4 + (text === null ? 0 : size);
  }
  return [address, offset];
}

/** Calls a function of the module and returns its answer. */
export function answerOf<T>(name: string, fields: readonly Field[]): Answer<T> {
  const { memory, [name]: target } = exports();
  const address = (target as (address: number, size: number) => number)(...writeFields(fields));
  const view = new DataView(memory.buffer, address >>> 0, 8);
  const text = new Uint8Array(memory.buffer, view.getUint32(0, true), view.getUint32(4, true));
  return JSON.parse(decoder.decode(text)) as Answer<T>;
}

/** Calls a function of the module and returns its value; throws its error. */
export function call<T>(name: string, ...fields: readonly Field[]): T {
  const answer = answerOf<T>(name, fields);
  if ("value" in answer) return answer.value;
  throw "errors" in answer ? new ApiError(answer.errors[0]!) : new TypeError(answer.mistake);
}

const registry = new FinalizationRegistry<number>((handle) => loaded?.release(handle));

/** The base of objects in the module's memory, which is released on collection or by `free()`. */
export class WasmObject {
  #handle: number | undefined;
  #isFree = false;

  /** The address of the object; creates it if necessary. */
  protected handle(make: () => number): number {
    if (this.#isFree) throw new ReferenceError("used after free()");
    if (this.#handle === undefined) this.hold(make());
    return this.#handle!;
  }
  /** Takes over an object by its address, once. */
  protected hold(handle: number): void {
    this.#handle = handle;
    registry.register(this, handle, this);
  }
  /** Releases the memory immediately. Later uses throw a ReferenceError. */
  free(): void {
    if (this.#handle !== undefined) exports().release(this.#handle);
    registry.unregister(this);
    this.#handle = undefined;
    this.#isFree = true;
  }
}

/** The size of the module's memory in bytes, which never shrinks. */
export function memorySize(): number {
  return exports().memory.buffer.byteLength;
}

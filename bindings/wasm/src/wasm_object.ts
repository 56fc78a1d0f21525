// SPDX-License-Identifier: MIT
// Objects in the module's memory.

import { exports } from "./module.js";

const registry = new FinalizationRegistry<number>((handle) => exports().release(handle));

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

/** The part of WebAssembly that is used. Node's types leave it to those of browsers. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array<ArrayBuffer>)
  }
  class Instance {
    constructor(module: Module)
    readonly exports: Readonly<Record<string, unknown>>
  }
  class Memory {
    readonly buffer: ArrayBuffer
    /** Adds pages of 64 KiB; `buffer` is a new one then. */
    grow(pages: number): number
  }
}

/** A cache of open blocks with a memory limit in bytes. Evicts the least recently used. */
export class BlockCache<T> {
  readonly #maxBytes: number
  readonly #entries = new Map<string, { readonly value: T; readonly bytes: number }>()
  #bytes = 0

  constructor(mostBytes: number) {
    this.#maxBytes = mostBytes
  }

  get(name: string): T | undefined {
    const found = this.#entries.get(name)
    if (found === undefined) return undefined
    this.#entries.delete(name)
    this.#entries.set(name, found)
    return found.value
  }

  put(name: string, value: T, bytes: number): void {
    if (this.#entries.has(name)) return
    this.#entries.set(name, { value, bytes })
    this.#bytes += bytes
    for (const [oldest, { bytes: size }] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) return
      this.#entries.delete(oldest)
      this.#bytes -= size
    }
  }
}

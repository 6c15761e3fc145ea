/** What was opened last, up to so much memory; the one that was not used for longest goes first. */
export class BlockCache<T> {
  readonly #most: number
  readonly #kept = new Map<string, { readonly value: T; readonly bytes: number }>()
  #bytes = 0

  constructor(mostBytes: number) {
    this.#most = mostBytes
  }

  get(name: string): T | undefined {
    const found = this.#kept.get(name)
    if (found === undefined) return undefined
    this.#kept.delete(name)
    this.#kept.set(name, found)
    return found.value
  }

  put(name: string, value: T, bytes: number): void {
    if (this.#kept.has(name)) return
    this.#kept.set(name, { value, bytes })
    this.#bytes += bytes
    for (const [oldest, { bytes: size }] of this.#kept) {
      if (this.#bytes <= this.#most) return
      this.#kept.delete(oldest)
      this.#bytes -= size
    }
  }
}

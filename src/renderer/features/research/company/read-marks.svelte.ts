/** Remembers the last 2,000 stories read in this browser or app. */
import { SvelteSet } from 'svelte/reactivity'

const KEY = 'tapedeck:read'
const MAX = 2_000

export class ReadMarks {
  readonly #read = new SvelteSet<string>()
  readonly #storage: Pick<Storage, 'getItem' | 'setItem'> | undefined

  constructor(storage: Pick<Storage, 'getItem' | 'setItem'> | undefined) {
    this.#storage = storage
    try {
      const stored: unknown = JSON.parse(storage?.getItem(KEY) ?? '[]')
      if (Array.isArray(stored)) for (const id of stored.slice(-MAX)) if (typeof id === 'string') this.#read.add(id)
    } catch {
      // Invalid stored data: start with nothing read.
    }
  }

  has(id: string): boolean {
    return this.#read.has(id)
  }
  add(ids: readonly string[]): void {
    for (const id of ids) this.#read.add(id.slice(0, 300))
    const all = [...this.#read]
    for (const old of all.slice(0, Math.max(0, all.length - MAX))) this.#read.delete(old)
    try {
      this.#storage?.setItem(KEY, JSON.stringify([...this.#read]))
    } catch {
      // Storage is full or blocked: the marks last until the window closes.
    }
  }
}

/** Which stories were read, in this browser or app: the newest two thousand. */
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
      // What is no list of ours counts as nothing read.
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
      // A full or forbidden storage: the marks last as long as the window.
    }
  }
}

/** Every saved response of an endpoint about a symbol, because the service may return one period per request. */
import { untrack } from 'svelte'
import { parseValue } from '../../../../shared/features/research/parse.ts'
import type { Value } from '../../../../shared/features/research/value.ts'
import type { Transport } from '../../../../shared/transport.ts'
import type { WindowState } from '../../../core/window/window.svelte.ts'
import type { Question } from './research.svelte.ts'

interface Known {
  readonly id: number
  readonly sha256: string
  /** Undefined: not JSON, or corrupt. */
  readonly value: Value | undefined
}
type Wanted = Pick<Question, 'view' | 'endpoint' | 'symbol'>

export class KnownResponses {
  /** Parsed responses with any parameters, newest first; identical texts once. In a replay, those received by its time. */
  values = $state.raw<readonly Value[]>([])
  readonly #transport: Transport
  readonly #read: () => void
  /** What the last look was about, as text; null once closed. */
  #wanted: string | null = ''
  /** Number of looks, and whether one is already catching up with them. */
  #looks = 0
  #looking = false
  /** The responses in `values`, and whether `add` added others. */
  #known: readonly Known[] = []
  #hasOthers = false

  /** `read` is called whenever `values` are those of the last look. */
  constructor(transport: Transport, read: () => void) {
    this.#transport = transport
    this.#read = read
  }

  /** Reads what is saved. Calls that arrive meanwhile, such as moves of a replay's clock, are followed by one more read. */
  async look(wanted: Wanted): Promise<void> {
    if (this.#wanted === null) return
    if (JSON.stringify(wanted) !== this.#wanted) this.#take([])
    this.#wanted = JSON.stringify(wanted)
    this.#latest = wanted
    this.#looks++
    if (this.#looking) return
    this.#looking = true
    let seen: number
    do {
      seen = this.#looks
      const found = await this.#load(this.#latest)
      if (found !== null) this.#take(found)
    } while (seen !== this.#looks && !this.#isClosed())
    this.#looking = false
    if (!this.#isClosed()) this.#read()
  }
  #latest: Wanted = { view: 'live', endpoint: '', symbol: '' }
  readonly #isClosed = (): boolean => this.#wanted === null

  /** Adds a response that was just loaded. */
  add(value: Value): void {
    this.values = [value, ...this.values]
    this.#hasOthers = true
  }

  close(): void {
    this.#wanted = null
  }

  /** Null: meanwhile something else is wanted. */
  async #load(wanted: Wanted): Promise<readonly Known[] | null> {
    const isGone = () => JSON.stringify(wanted) !== this.#wanted
    const received = await this.#transport.invoke('research.received', wanted)
    if (isGone()) return null
    const found: Known[] = []
    // If that fails, nothing is known to be received by a replay's time.
    for (const { id, sha256 } of received.ok ? received.value : []) {
      if (found.some((one) => one.sha256 === sha256)) continue
      const known = this.#known.find((one) => one.id === id)
      if (known) {
        found.push(known)
        continue
      }
      const response = await this.#transport.invoke('research.version', { version: id })
      if (isGone()) return null
      const text = response.ok ? response.value?.text : undefined
      found.push({ id, sha256, value: text === undefined ? undefined : parseValue(text) })
    }
    return found
  }

  #take(found: readonly Known[]): void {
    const isSame = found.length === this.#known.length && found.every(({ id }, i) => id === this.#known[i].id)
    this.#known = found
    if (isSame && !this.#hasOthers) return
    this.#hasOthers = false
    this.values = found.flatMap(({ value }) => (value === undefined ? [] : [value]))
  }
}

/**
 * The saved responses of a component's endpoint. They are read again when `again` changes, and follow the clock of a
 * replay. `read` is called after each time. Call it while the component starts.
 */
export function useKnownResponses(
  app: WindowState,
  question: () => { readonly endpoint: string; readonly symbol: string },
  again: () => unknown,
  read: () => void = () => undefined,
): KnownResponses {
  const known = new KnownResponses(app.transport, read)
  $effect(() => {
    void again()
    const wanted = { view: app.view, ...question() }
    if (app.view !== 'live') void app.nowMs
    untrack(() => void known.look(wanted))
  })
  $effect(() => () => known.close())
  return known
}

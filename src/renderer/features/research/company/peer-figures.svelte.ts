/** The multiples of several companies: two requests each, one company after another, saved responses first. */
import { SvelteMap } from 'svelte/reactivity'
import type { Failure } from '../../../../shared/base/errors.ts'
import type { CallArgs } from '../../../../shared/contracts.ts'
import { readResponse } from '../../../../shared/features/research/read.ts'
import type { WindowState } from '../../../core/window/window.svelte.ts'
import { DASH } from '../../../text/format.ts'
import { figureText } from '../response/figure-kinds.ts'
import { figuresOf, PEER_RATIOS, type OverviewFigure, type Source } from './overview.ts'

const ENDPOINTS = ['metrics', 'ratios-ttm'] as const
let tickets = 0

export class PeerFigures {
  /** Companies that are still to be loaded. */
  loading = $state(0)
  /** The first request that failed otherwise than by an unknown company. */
  failure = $state.raw<Failure | null>(null)
  readonly #found = new SvelteMap<string, readonly OverviewFigure[]>()
  readonly #app: WindowState
  #run = 0
  #symbols: readonly string[] = []
  /** Number of clock moves, and whether `look` is already catching up with them. */
  #moves = 0
  #looking = false
  #closed = false
  #ticket = ''

  constructor(app: WindowState) {
    this.#app = app
  }

  /** Loads these companies; what is loaded stays. */
  follow(symbols: readonly string[], view: string): void {
    const key = JSON.stringify([symbols, view])
    if (key === JSON.stringify([this.#symbols, this.#view])) return
    if (view !== this.#view) this.#found.clear()
    this.#symbols = symbols
    this.#view = view
    void this.#load(symbols.filter((one) => !this.#found.has(one)))
  }
  #view = ''

  /** Follows a replay's clock: reads the saved responses again. */
  look(): void {
    this.#moves++
    if (!this.#looking) void this.#catchUp()
  }
  async #catchUp(): Promise<void> {
    this.#looking = true
    let seen: number
    do {
      seen = this.#moves
      await this.#load(this.#symbols)
    } while (seen !== this.#moves && !this.#closed)
    this.#looking = false
  }

  /** The figures in the order of `PEER_RATIOS`; null while they aren't loaded. */
  cellsOf = (symbol: string): readonly OverviewFigure[] | null => this.#found.get(symbol) ?? null

  /** The median of a figure over the companies that have it, as text. */
  median(symbols: readonly string[], figure: number): string {
    const cells = symbols.flatMap((one) => this.#found.get(one)?.[figure] ?? [])
    const values = cells.flatMap(({ value }) => (Number.isFinite(value) ? [value] : [])).sort((a, b) => a - b)
    const kind = cells.find((one) => one.kind !== null)?.kind
    if (values.length === 0 || kind === undefined || kind === null) return DASH
    const middle = values.length >> 1
    const median = values.length % 2 === 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2
    return figureText(kind, median, this.#app.numbers)
  }

  close(): void {
    this.#closed = true
    this.#run++
    if (this.#ticket !== '') void this.#app.transport.invoke('research.cancel', { ticket: this.#ticket })
  }

  async #load(symbols: readonly string[]): Promise<void> {
    const run = ++this.#run
    const view = this.#view
    this.failure = null
    for (const [i, symbol] of symbols.entries()) {
      if (view === 'live') this.loading = symbols.length - i
      const sources: Source[] = []
      for (const endpoint of ENDPOINTS) {
        const params = this.#app.settings.now.research.params[endpoint] ?? {}
        this.#ticket = `peers-${++tickets}`
        // After a failure such as a spent budget, only what is saved is shown.
        const mode: 'fresh' | 'cached' = view === 'live' && this.failure === null ? 'fresh' : 'cached'
        const question: CallArgs<'research.get'> = { view, endpoint, symbol, params, mode, ticket: this.#ticket }
        const result = await this.#app.transport.invoke('research.get', question)
        if (run !== this.#run) return
        const failure = result.ok ? result.value.failure : result.error
        if (failure !== null && failure.code !== 'not-found') this.failure = failure
        const response = result.ok ? result.value.response : null
        if (response !== null) sources.push({ endpoint, reading: readResponse(response.text) })
      }
      this.#found.set(symbol, figuresOf(PEER_RATIOS, sources, this.#app.numbers))
    }
    this.loading = 0
    this.#ticket = ''
  }
}

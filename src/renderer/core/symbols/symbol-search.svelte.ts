/** Searches symbols while the user types. Only the results of the newest query are shown. */
import type { SymbolHit } from '../../../shared/core/status/status.ts'
import type { Transport } from '../../../shared/transport.ts'

const SEARCH_LIMIT = 50

export class SymbolSearch {
  hits = $state.raw<readonly SymbolHit[]>([])
  busy = $state(false)
  /** The query that `hits` belong to; null before the first response. */
  answered = $state<string | null>(null)
  problem = $state<string | null>(null)
  readonly #transport: Transport
  #asked = 0

  constructor(transport: Transport) {
    this.#transport = transport
  }

  async ask(query: string): Promise<void> {
    const mine = ++this.#asked
    this.busy = true
    const result = await this.#transport.invoke('symbols.search', { query: query.slice(0, 64), limit: SEARCH_LIMIT })
    if (mine !== this.#asked) return
    this.busy = false
    this.answered = query
    this.problem = result.ok ? null : result.error.message
    this.hits = result.ok ? result.value : []
  }
}

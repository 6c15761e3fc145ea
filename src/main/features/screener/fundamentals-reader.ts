/** Figures of companies from the latest saved responses. A response is read and parsed once. */
import { toFailure } from '../../../shared/base/errors.ts'
import type { InstrumentId } from '../../../shared/base/units.ts'
import { FUNDAMENTAL_ENDPOINTS, fundamentalsIn } from '../../../shared/features/screener/fundamentals.ts'
import type { MetricValues } from '../../../shared/features/screener/metrics.ts'
import type { Research } from '../research/research.ts'
import type { Instruments } from './read-facts.ts'

/** What it needs of research: saved responses, and never a request. */
export type SavedResponses = Pick<Research, 'latest' | 'version'>

export class FundamentalsReader {
  readonly #research: SavedResponses
  readonly #view: string
  /** Of the responses that the last pass used, by their ids. A response never changes. */
  #figures: ReadonlyMap<number, MetricValues> = new Map()

  constructor(research: SavedResponses, view: string) {
    this.#research = research
    this.#view = view
  }

  /** The figures of companies that have any, as of the view's clock. Rejects if responses can't be read. */
  async read(stocks: Instruments): Promise<ReadonlyMap<InstrumentId, MetricValues>> {
    const bySymbol = Map.groupBy(await this.#research.latest(this.#view, FUNDAMENTAL_ENDPOINTS), ({ symbol }) => symbol)
    const used = new Map<number, MetricValues>()
    const all = new Map<InstrumentId, MetricValues>()
    for (const [instrument, symbol] of stocks) {
      let found: MetricValues = {}
      for (const endpoint of FUNDAMENTAL_ENDPOINTS) {
        const id = bySymbol.get(symbol)?.find((one) => one.endpoint === endpoint)?.id
        if (id === undefined) continue
        const figures = this.#figures.get(id) ?? (await this.#read(id))
        used.set(id, figures)
        // For each figure, the first endpoint that has it counts.
        found = { ...figures, ...found }
      }
      all.set(instrument, found)
    }
    this.#figures = used
    return all
  }

  async #read(id: number): Promise<MetricValues> {
    try {
      const response = await this.#research.version(id)
      return response === null ? {} : fundamentalsIn(response.text)
    } catch (thrown) {
      // A corrupt response has no figures, and won't have any later.
      if (toFailure(thrown).code === 'store-damaged') return {}
      throw thrown
    }
  }
}

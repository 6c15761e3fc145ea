/** Stored symbols in JSON: one shape for the command line and the API. */
import type { FeedId, SessionId } from '../../../shared/base/units.ts'
import { withSchema } from '../../base/json-schema.ts'
import type { StoreReader } from '../store/types/reader.ts'
import { isoOrNull } from '../../../shared/base/iso-time.ts'

export interface SymbolQuery {
  readonly feed: FeedId
  readonly source: string
  /** Sessions of the source. */
  readonly sessions: readonly SessionId[]
}

/** The symbols of a feed. `symbol` is the newest of its aliases; `from` and `to` are event times in ISO 8601. */
export async function* storedSymbols(reader: Pick<StoreReader, 'instruments' | 'extent'>, query: SymbolQuery) {
  const { feed, source } = query
  for (const { instrument, symbols: aliases } of await reader.instruments(query)) {
    const { records: messages, fromMs, toMs } = await reader.extent({ ...query, instruments: [instrument] })
    const symbol = aliases.at(-1) ?? ''
    yield withSchema('symbol', {
      feed,
      symbol,
      aliases,
      instrument,
      source,
      messages,
      from: isoOrNull(fromMs),
      to: isoOrNull(toMs),
    })
  }
}

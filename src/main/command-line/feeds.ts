/** Reads feeds with their symbols, as `--feed` takes them. */
import { feedAsset, FEED_IDS, instrumentKey, isFeedId, type FeedId } from '../../shared/base/units.ts'
import { UsageError } from './command.ts'

/** Reads `crypto/XT:BTC-USD,ETH-USD`; the same feed twice joins. Throws UsageError. */
export function readFeedSymbols(texts: readonly string[]): Map<FeedId, string[]> {
  const symbolsOf = new Map<FeedId, string[]>()
  for (const text of texts) {
    const colon = text.indexOf(':')
    const feed = colon < 0 ? text : text.slice(0, colon)
    if (!isFeedId(feed)) throw new UsageError(`unknown feed "${feed}"; use one of ${FEED_IDS.join(', ')}`)
    const symbols = (colon < 0 ? '' : text.slice(colon + 1))
      .split(',')
      .map((one) => one.trim())
      .filter(Boolean)
    // A service would be asked for a symbol of this name, and acknowledge it.
    const other = symbols.find((one) => isFeedId(one.split(':')[0]))
    if (other !== undefined)
      throw new UsageError(`${other} names a feed inside the list of ${feed}; write --feed ${other}`)
    if (symbols.length === 0) throw new UsageError(`--feed ${feed} has no symbols; write ${feed}:SYMBOL,SYMBOL`)
    // Two aliases of one instrument are one subscription; the first is sent.
    const all = [...(symbolsOf.get(feed) ?? []), ...symbols]
    const byKey = Map.groupBy(all, (one) => instrumentKey(feedAsset(feed), one))
    symbolsOf.set(
      feed,
      [...byKey.values()].map(([first]) => first),
    )
  }
  return symbolsOf
}

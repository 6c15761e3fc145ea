/** The market of a view, live or replayed: the hub, plus the digest fold that proves a replay equal to live. */
import type { Scratch } from '../../../service/codec.ts'
import type { FeedId, UnixMs } from '../../../shared/base/units.ts'
import { FOLD_VERSION, type DigestFold, type FoldSave } from './digest.ts'
import type { Hub, HubSink, MarketContext } from './hub-types.ts'
import { decodeMarket, encodeMarket, SNAPSHOT_VERSION } from './snapshot.ts'

/** A hub and its digest fold: the state that records change and a snapshot saves. */
export interface Market {
  readonly sink: HubSink
  /** Version of the bytes that `save` returns; `restore` refuses any other. */
  readonly version: number
  /** Version of the digests. */
  readonly fold: number
  /**
   * Applies a stored record to the digest fold only. The first record of a later minute returns the digest of
   * everything before it.
   */
  digest(feed: FeedId, recvMs: UnixMs, record: Scratch): { readonly minuteMs: UnixMs; readonly sha256: string } | null
  /** Empties the digest fold, because the order of records was interrupted. */
  cut(): void
  /** Service clock minus local clock, ms. */
  setSkew(ms: number): void
  save(): Uint8Array
  /** Restores a save; null: empties the market. Throws a RangeError for another version. */
  restore(save: Uint8Array | null, context: MarketContext): void
}

const EMPTY_FOLD: FoldSave = { minute: null, cells: [] }

export function createMarket(hub: Hub, fold: DigestFold): Market {
  return {
    sink: hub,
    version: SNAPSHOT_VERSION * 1_000 + FOLD_VERSION,
    fold: FOLD_VERSION,
    digest: (feed, recvMs, record) => fold.apply(feed, recvMs, record),
    cut: () => fold.reset(),
    setSkew: (ms) => hub.setSkew(ms),
    save: () => encodeMarket(hub.save(), fold.save()),
    restore(save, context) {
      const read = save === null ? null : decodeMarket(save)
      fold.restore(read?.fold ?? EMPTY_FOLD)
      hub.restore(read?.hub ?? null, context)
    },
  }
}

/** A market that only passes records on, without digest and snapshots. */
export function sinkOnly(sink: HubSink): Market {
  return {
    sink,
    version: 0,
    fold: 0,
    digest: () => null,
    cut: () => undefined,
    setSkew: () => undefined,
    save: () => new Uint8Array(0),
    restore: () => undefined,
  }
}

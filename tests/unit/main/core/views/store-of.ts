/** A store with one session, what closes it after a test, and how a market takes its items. */
import type { Hub } from '../../../../../src/main/core/market/hub-types.ts'
import { scratch } from '../../../../../src/service/codec.ts'
import { decodeStored } from '../../../../../src/service/codecs/decode-stored.ts'
import { unixMs, type SessionId } from '../../../../../src/shared/base/units.ts'
import { StoreEngine } from '../../../../../src/main/core/store/threads/engine.ts'
import { openLocalReader, type LocalReader } from '../../../../../src/main/core/store/threads/reader.ts'
import { newSessionId } from '../../../../../src/main/core/store/types/session-id.ts'
import { makeStoreFolder } from '../../../../kit/folder.ts'
import { DEMO, T0, Writer, type Item } from '../store/harness.ts'

export const cleanups: (() => unknown)[] = []

/** Runs the cleanups, the last first. */
export async function cleanUp(): Promise<void> {
  for (const clean of cleanups.splice(0).reverse()) await clean()
}

/** Stores the items as a session of the demo market that is still open. `cleanUp` removes the store. */
export function storeOf(items: readonly Item[]): { readonly reader: LocalReader; readonly session: SessionId } {
  const folder = makeStoreFolder()
  const engine = new StoreEngine(folder.file, () => T0)
  const session = newSessionId(unixMs(T0))
  engine.begin(session, DEMO, unixMs(T0))
  const writer = new Writer()
  for (let i = 0; i < items.length; i += 20) engine.commit([writer.batch(items.slice(i, i + 20))])
  const reader = openLocalReader(folder.file)
  cleanups.push(
    () => folder.remove(),
    () => engine.close(),
    () => reader.close(),
  )
  return { reader, session }
}

const FEED_OF = ['crypto/XT', 'crypto/XQ'] as const
const record = scratch()
const encoder = new TextEncoder()

/** Applies an item as the live market and a replay do. Connection 1 has trades, 2 has quotes. */
export function applyItem(hub: Hub, seq: number, item: Item): void {
  if ('entry' in item) {
    if (item.entry.type === 'gap-open') hub.gapOpened(item.entry.feed, item.entry.cause, [], item.entry.fromMs)
    return
  }
  const feed = FEED_OF[item.conn - 1]
  const bytes = typeof item.data === 'string' ? encoder.encode(item.data) : item.data
  if (decodeStored(feed, 0, bytes, 0, bytes.length, record) === 'market')
    hub.apply(feed, seq, unixMs(item.recvMs ?? 0), record)
}

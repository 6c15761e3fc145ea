/** A store with sessions to export, made without a network. */
import { StoreEngine } from '../../../../../src/main/core/store/threads/engine.ts'
import { openStoreReader } from '../../../../../src/main/core/store/open.ts'
import type { StoreReader } from '../../../../../src/main/core/store/types/reader.ts'
import { newSessionId } from '../../../../../src/main/core/store/types/session-id.ts'
import { unixMs, type FeedId, type SessionId } from '../../../../../src/shared/base/units.ts'
import type { Source } from '../../../../../src/shared/core/recording/session.ts'
import { DEMO, T0, Writer, type Item } from '../../core/store/harness.ts'
import { makeStoreFolder } from '../../../../kit/folder.ts'

export interface RecordedStore {
  readonly path: string
  readonly file: string
  readonly reader: StoreReader
  readonly sessions: readonly SessionId[]
  close(): Promise<void>
}

/** One closed recording for each list of items, an hour apart. */
export async function recorded(
  lists: readonly (readonly Item[])[],
  {
    feeds,
    source = DEMO,
    sources = [],
  }: {
    readonly feeds?: readonly FeedId[]
    readonly source?: Source
    /** Of the first sessions; those after them are of `source`. */
    readonly sources?: readonly Source[]
  } = {},
): Promise<RecordedStore> {
  const folder = makeStoreFolder()
  const engine = new StoreEngine(folder.file, () => T0)
  const sessions = lists.map((items, i) => {
    const started = T0 + i * 3_600_000
    const id = newSessionId(started)
    engine.begin(id, sources[i] ?? source, unixMs(started))
    const writer = new Writer(feeds)
    for (let from = 0; from < items.length; from += 500) engine.commit([writer.batch(items.slice(from, from + 500))])
    engine.end(unixMs(started + 3_000_000), [])
    engine.drain()
    return id
  })
  engine.close()
  const reader = await openStoreReader({ file: folder.file })
  return {
    ...folder,
    reader,
    sessions,
    async close() {
      await reader.close()
      folder.remove()
    },
  }
}

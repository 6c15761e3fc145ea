/** A store with one session, and what closes it after a test. */
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

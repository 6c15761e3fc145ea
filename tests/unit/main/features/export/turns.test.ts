/** Exports in the thread that receives the market leave it its turns, however fast they are read. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createStreamFile } from '../../../../../src/main/base/file-sink.ts'
import { runExport } from '../../../../../src/main/features/export/run.ts'
import { exportRequest } from '../../../../kit/export.ts'
import { tradeText } from '../../../../kit/market.ts'
import { T0, type Item } from '../../core/store/harness.ts'
import { recorded, type RecordedStore } from './recorded.ts'

let store: RecordedStore
beforeAll(async () => {
  const items = Array.from({ length: 10_000 }, (_, i): Item => ({
    conn: 1,
    data: tradeText('BTC-USD', 100, 1, T0 + i),
    recvMs: T0 + i,
  }))
  store = await recorded([items])
})
afterAll(() => store.close())

it.each([1, 4])('%i at once write a piece in each turn of the event loop', async (exports) => {
  let turn = 0
  let isDone = false
  const count = (): void => {
    turn += 1
    if (!isDone) setImmediate(count)
  }
  count()
  const turns: number[] = []
  const write = (bytes: Uint8Array): Promise<void> => {
    if (bytes.length > 100_000) turns.push(turn)
    return Promise.resolve()
  }
  await Promise.all(
    Array.from({ length: exports }, () =>
      runExport(store.reader, exportRequest(), '-', { stream: createStreamFile(write) }),
    ),
  )
  isDone = true
  expect(turns.length).toBeGreaterThanOrEqual(2 * exports)
  expect(new Set(turns).size).toBe(turns.length)
})

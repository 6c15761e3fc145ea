/** Another Tapedeck records a served session: the same messages, in the same order, and the same state. */
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { systemClock } from '../../../../../../src/main/base/clock.ts'
import { openStoreReader } from '../../../../../../src/main/core/store/open.ts'
import { startReplayServer } from '../../../../../../src/main/features/replay/serve/replay-server.ts'
import { runCommandLine } from '../../../../../../src/main/hosts/cli/run.ts'
import { FLAG } from '../../../../../../src/shared/core/recording/session.ts'
import type { FeedId } from '../../../../../../src/shared/base/units.ts'
import { makeFolder } from '../../../../../kit/folder.ts'
import { commandContext } from '../../../hosts/cli/context.ts'
import { readAll, T0, type Item } from '../../../core/store/harness.ts'
import { recorded } from '../../export/recorded.ts'

const FEEDS: readonly FeedId[] = ['crypto/XT', 'crypto/XQ', 'forex/C', 'stocks/T']
const PAIRS = ['BTC-USD', 'ETH-USD', 'SOL-USD']

/** Messages of every feed, in the number styles of several servers, and some that nobody can read. */
function makeItem(i: number): Item {
  const t = T0 + i * 7
  const pair = PAIRS[i % PAIRS.length]
  switch (i % 5) {
    case 0:
      return { conn: 1, recvMs: t, data: `{"ev":"XT","pair":"${pair}","p":${100 + (i % 17)}.50,"t":${t},"s":${i % 9}}` }
    case 1:
      return { conn: 2, recvMs: t, data: `{"ev": "XQ", "pair": "${pair}", "bp": 1.0, "ap": 2e0, "t": ${t}}` }
    case 2:
      return { conn: 3, recvMs: t, data: `{"ev":"C","p":"C:EURUSD","a":1.1000${i % 10},"b":1.1,"t":${t}}` }
    case 3:
      return { conn: 4, recvMs: t, data: `{"ev":"T","sym":"SPY","p":500.2${i % 10},"s":100,"t":${t}}` }
    default:
      return { conn: 1, recvMs: t, data: `{"ev":"XT","pair":"${pair}"`, flags: FLAG.undecodable }
  }
}

it('records byte for byte what was recorded, and reaches the same digest', async () => {
  const items = Array.from({ length: 5_000 }, (_, i) => makeItem(i))
  const store = await recorded([items], { feeds: FEEDS })
  const server = await startReplayServer({
    reader: store.reader,
    clock: systemClock,
    served: { sessions: store.sessions },
    port: 0,
    speed: 'max',
    loop: false,
    start: 'all',
  })
  const home = makeFolder('again')
  const file = join(home, 'again.db')
  const stopping = new AbortController()
  const context = commandContext({
    dataDir: home,
    env: { TAPEDECK_PASSWORD: server.password },
    signal: stopping.signal,
  })
  const args = ['record', '--json', '--store', file, '--base-url', server.baseUrl, '--user', server.username]
  const feeds = ['crypto/XT:BTC-USD,ETH-USD,SOL-USD', 'crypto/XQ:BTC-USD,ETH-USD,SOL-USD', 'forex/C:C:EURUSD']
  const running = runCommandLine([...args, ...[...feeds, 'stocks/T:SPY'].flatMap((feed) => ['--feed', feed])], context)
  await server.played
  await vi.waitFor(
    async () => {
      const reader = await openStoreReader({ file })
      const [row] = await reader.sessions()
      await reader.close()
      expect(row.messages).toBe(items.length + FEEDS.length) // an acknowledgement on each connection
    },
    { timeout: 20_000 },
  )
  stopping.abort('terminate')
  expect(await running).toBe(0)
  const { feeds: counted } = JSON.parse(context.output()) as { feeds: { feed: string; gap_count: number }[] } // as it writes
  expect(counted.map(({ gap_count: gaps }) => gaps)).toEqual([0, 0, 0, 0])

  const again = await openStoreReader({ file })
  for (const feed of FEEDS) {
    const raw = async (reader: typeof again) =>
      (await readAll(reader, feed)).filter(({ flags }) => (flags & FLAG.control) === 0).map((one) => one.raw)
    const original = await raw(store.reader)
    expect(original.length).toBeGreaterThan(900)
    expect(await raw(again)).toEqual(original)
  }
  const [session] = await again.sessions()
  await again.close()
  const digest = async (path: string, name: string): Promise<string> => {
    const one = commandContext({ dataDir: home })
    expect(await runCommandLine(['replay', '--json', '--digest', '--store', path, '--session', name], one)).toBe(0)
    return (JSON.parse(one.output()) as { digest: string }).digest
  }
  expect(await digest(file, session.session)).toBe(await digest(store.file, store.sessions[0]))
  await server.close()
  await store.close()
})

import { afterEach, beforeEach, expect, it } from 'vitest'
import { loadMerge } from '../../../../../src/main/core/playback/load-merge.ts'
import { StoreEngine } from '../../../../../src/main/core/store/threads/engine.ts'
import { openLocalReader, type LocalReader } from '../../../../../src/main/core/store/threads/reader.ts'
import { playTeam, type TeamPlayOptions } from '../../../../../src/main/features/replay/play-team.ts'
import { runCommandLine } from '../../../../../src/main/hosts/cli/run.ts'
import { systemClock } from '../../../../../src/main/base/clock.ts'
import { makeStoreFolder } from '../../../../kit/folder.ts'
import { tradeText } from '../../../../kit/market.ts'
import { commandContext } from '../../hosts/cli/context.ts'
import { T0, type Item } from '../../core/store/harness.ts'
import { Replica } from '../../core/store/replica-harness.ts'

const HOUR = 3_600_000
let folder: ReturnType<typeof makeStoreFolder>
let engine: StoreEngine
let reader: LocalReader
const openStore = (): void => {
  folder = makeStoreFolder()
  engine = new StoreEngine(folder.file, () => T0)
  reader = openLocalReader(folder.file)
}
const closeStore = async (): Promise<void> => {
  await reader.close()
  engine.close()
  folder.remove()
}
beforeEach(openStore)
afterEach(closeStore)

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i)

/** A session with trades at these seconds, and an acknowledgement before them. */
function session(shard: number, symbol: string, seconds: readonly number[], { skewMs = 0, epoch = 1 } = {}): Replica {
  const local = (second: number): number => T0 + second * 1_000 - skewMs
  const replica = new Replica(engine, shard, local(seconds[0] - 1), { epoch })
  const trade = (second: number): Item => ({
    conn: 1,
    data: tradeText(symbol, second + shard / 10, 1, T0 + second * 1_000),
    recvMs: local(second) + 20,
  })
  const acknowledged = { type: 'acknowledged', feed: 'crypto/XT', conn: 1, symbols: [symbol] } as const
  replica.add({ entry: acknowledged, wallMs: local(seconds[0] - 1) }, ...seconds.map(trade))
  replica.end(local(seconds[seconds.length - 1] + 1))
  return replica
}
const play = (options: Partial<TeamPlayOptions> = {}) =>
  playTeam({
    reader,
    source: 'team:*@eu',
    speed: 'max',
    fromMs: -Infinity,
    toMs: Infinity,
    context: { clock: systemClock, signal: new AbortController().signal },
    ...options,
  })

/** Two shards; the second one changes its recorder in between, and the recorders overlap. */
function recordTeam(skewMs = 0): void {
  session(2, 'ETH-USD', range(1, 100), { epoch: 2 })
  session(1, 'BTC-USD', range(2, 150))
  session(2, 'ETH-USD', range(81, 160), { epoch: 5, skewMs })
}

it('plays all shards by receive time, each message once, from equal stores with equal digests', async () => {
  recordTeam()
  const first = await play()
  expect(first).toMatchObject({ messages: 148 + 159, exactness: { is: 'not comparable' } })
  // Digests are of whole minutes: those that began at 1:00 and 2:00.
  expect(first?.minutes.map(({ at }) => (at - T0) / 60_000)).toEqual([0, 1])
  const again = await play()
  expect(again).toEqual(first)
  await closeStore()
  openStore()
  // Copied in another order.
  session(2, 'ETH-USD', range(81, 160), { epoch: 5 })
  session(1, 'BTC-USD', range(2, 150))
  session(2, 'ETH-USD', range(1, 100), { epoch: 2 })
  expect(await play()).toEqual(first)
})

it('plays a recorder whose clock is an hour off at its time', async () => {
  recordTeam(-HOUR)
  const played = await play()
  expect(played?.messages).toBe(148 + 159)
  expect(played?.minutes.map(({ at }) => (at - T0) / 60_000)).toEqual([0, 1])
})

it('gives the messages of all shards in one order, from any place in it', async () => {
  recordTeam()
  const { playback, part } = await loadMerge(reader, { source: 'team:*@eu', fromMs: -Infinity, endMs: Infinity })
  const read = async (afterSeq: number) => {
    const found: { readonly seq: number; readonly ms: number; readonly text: string; readonly limits: string }[] = []
    for await (const batch of playback.replay({ session: part.session, afterSeq })) {
      for (let i = 0; i < batch.count; i += 1) {
        const text = Buffer.from(batch.bytes.subarray(batch.offsets[i], batch.offsets[i + 1])).toString()
        const limits = [...playback.limitsAt(batch.seq[i]).values()].join()
        found.push({ seq: batch.seq[i], ms: batch.recvMs[i] - T0, text, limits })
      }
    }
    return found
  }
  const all = await read(0)
  expect(all.length).toBe(148 + 159)
  expect(all.map(({ ms }) => ms)).toEqual(all.map(({ ms }) => ms).toSorted((a, b) => a - b))
  // Of one time, the first shard comes first.
  expect(all.slice(1, 5).map(({ text }) => /[A-Z]{3}-USD/.exec(text)?.[0])).toEqual(['BTC-USD', 'ETH-USD', 'BTC-USD', 'ETH-USD']) // oxfmt-ignore
  for (const { seq } of [all[0], all[100], all[200], all[306]]) expect(await read(seq)).toEqual(all.filter((one) => one.seq > seq)) // oxfmt-ignore
  const { seq, ms } = all[150]
  expect(await playback.findPosition({ session: part.session, ms: ms + T0 })).toMatchObject({ ms: ms + T0 })
  const [btc, first, second] = (await reader.sessions()).toSorted((a, b) => (a.source < b.source ? -1 : 1))
  // What had arrived of each of them: an acknowledgement, then a message each second.
  expect(playback.limitsAt(seq).get(btc.session)).toBe(Math.floor((ms - 20) / 1_000))
  expect([first, second].map(({ session }) => playback.limitsAt(seq).get(session))).toContain(Math.floor((ms - 20) / 1_000) + 1) // oxfmt-ignore
  expect(playback.originOf(seq)).toMatchObject({ session: expect.any(String) as string })
})

it('is read from anywhere in a long merge, with exact places', async () => {
  const ticks = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + i / 10)
  session(2, 'ETH-USD', ticks(1, 2_500), { epoch: 2 })
  session(1, 'BTC-USD', ticks(2, 2_500))
  session(2, 'ETH-USD', ticks(231, 900), { epoch: 5 })
  const load = () => loadMerge(reader, { source: 'team:*@eu', fromMs: -Infinity, endMs: Infinity })
  const { playback, part } = await load()
  const seqsAfter = async (of: typeof playback, afterSeq: number) => {
    const seqs: number[] = []
    for await (const { seq } of of.replay({ session: part.session, afterSeq })) seqs.push(...seq)
    return seqs
  }
  const all = await seqsAfter(playback, 0)
  expect(all.length).toBe(2_500 + 2_300 + 900)
  const fresh = (await load()).playback
  for (const at of [5_000, 2_048, 2_047, 4_095, 1]) expect(await seqsAfter(fresh, all[at])).toEqual(all.slice(at + 1))
  let before = playback.limitsAt(0)
  for (const seq of all) {
    const limits = playback.limitsAt(seq)
    const origin = playback.originOf(seq)
    expect(origin?.seq).toBe(limits.get(origin?.session ?? before.keys().next().value!))
    expect([...limits].every(([one, upTo]) => upTo >= (before.get(one) ?? 0))).toBe(true)
    before = limits
  }
})

it('plays a range of receive times', async () => {
  recordTeam()
  expect(await play({ fromMs: T0 + 10_020, toMs: T0 + 20_020 })).toMatchObject({ messages: 20 })
  expect(await play({ source: 'team:1@eu', fromMs: T0 + 10_020, toMs: T0 + 20_020 })).toMatchObject({ messages: 10 })
  await expect(play({ fromMs: T0 + HOUR })).rejects.toMatchObject({ code: 'not-found' })
  await expect(play({ source: 'demo' })).rejects.toMatchObject({ code: 'usage' })
  const aborted = AbortSignal.abort()
  expect(await play({ context: { clock: systemClock, signal: aborted } })).toBeNull()
})

it('waits for the time between messages', async () => {
  recordTeam()
  const waits: number[] = []
  let ms = 0
  const clock = {
    ...systemClock,
    monoNs: () => (ms * 1e6) as ReturnType<typeof systemClock.monoNs>,
    after: (forMs: number, then: () => void) => {
      waits.push(forMs)
      ms += forMs
      return systemClock.after(0, then)
    },
  }
  const context = { clock, signal: new AbortController().signal }
  expect(await play({ context, speed: 100, toMs: T0 + 20_000 })).toMatchObject({ messages: 18 + 19 })
  // 20 s at a hundred times the speed.
  expect(waits.reduce((a, b) => a + b, 0)).toBeGreaterThanOrEqual(170)
})

it('is a command', async () => {
  recordTeam()
  const run = async (...args: string[]) => {
    const context = commandContext({ dataDir: folder.path })
    const code = await runCommandLine(['replay', '--store', folder.file, ...args], context)
    return { code, out: context.output(), err: context.errors() }
  }
  const { code, out } = await run('--source', 'team:*@eu', '--digest')
  expect(code).toBe(0)
  expect(out).toMatch(/messages 307\ndigest [0-9a-f]{64}\nnot comparable: Recorders write digests/)
  expect(await run('--source', 'team:*@eu', '--session', 'x')).toMatchObject({ code: 2 })
  expect((await run('--source', 'team:*@eu', '--loop')).err).toContain('--loop needs --serve')
  const disconnect = ['--source', 'team:*@eu', '--serve', '0', '--gaps', 'disconnect']
  expect((await run(...disconnect)).err).toContain('Gaps of a team can’t end connections')
  expect(await run('--source', 'demo')).toMatchObject({ code: 2 })
})

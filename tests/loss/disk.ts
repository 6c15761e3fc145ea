/** A disk that is full, first for a moment (nothing may be lost), then for longer than memory allows. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startSession } from '../../benchmarks/session.ts'
import { startSimulator } from '../../src/simulator/simulator.ts'
import { must, gapsOf, storedFeed, until, verified } from './stored.ts'
import { smallDisk } from './small-disk.ts'

const FEED = 'crypto/XT'
const RATE = 5_000
const BACKLOG = 2 << 20

/** Answers what was seen, or undefined with the reason said where no disk can be filled here. */
export async function fullDisk(folder: string, say: (text: string) => void): Promise<string | undefined> {
  const disk = smallDisk(folder, 96)
  if (typeof disk === 'string') {
    say(`skipped: ${disk}`)
    return undefined
  }
  say(`by ${disk.how}`)
  const file = join(disk.folder, 'disk.db')
  const simulator = await startSimulator({
    dataDir: new URL('../../resources/demo/', import.meta.url),
    market: { kind: 'load', messagesPerSecond: RATE },
    keepFrames: true,
  })
  try {
    const response = await fetch(`${simulator.baseUrl}/api/token/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: simulator.username, password: simulator.password }),
    })
    const { access } = (await response.json()) as { readonly access: string } // the simulator's own answer
    const live = await startSession({
      file,
      baseUrl: simulator.baseUrl,
      access,
      wants: [[FEED, ['BTC-USD', 'ETH-USD']]],
      maxBacklogBytes: BACKLOG,
    })
    const { recorder, session } = live
    const is = (what: 'broken' | 'recording') => () => recorder.state().is === what
    await until(() => recorder.stats().stored > RATE / 2, 20_000, 'recording did not begin')

    const watching = live.applied()
    disk.fill()
    const told = await until(is('broken'), 1_000, 'a full disk was not told within a second')
    const state = recorder.state()
    must(state.is === 'broken' && state.why.code === disk.code, `it was told as ${JSON.stringify(state)}`)
    disk.free()
    const back = await until(is('recording'), 10_000, 'recording did not resume by itself')
    must(recorder.stats().lost === 0, 'a short trouble lost frames that memory could hold')

    disk.fill()
    await until(is('broken'), 1_000, 'a full disk was not told the second time')
    await until(() => recorder.stats().lost > RATE / 2, 60_000, 'the bound of memory was never reached')
    const { backlogBytes } = recorder.stats()
    must(backlogBytes < BACKLOG * 1.5, `${backlogBytes} bytes waited, more than the bound`)
    must(live.applied() > watching + RATE, 'watching stood still')
    disk.free()
    await until(is('recording'), 10_000, 'recording did not resume after the hole')
    await sleep(500)
    const { lost } = recorder.stats()
    await live.close()

    const stored = await storedFeed(file, FEED, session)
    const sent = simulator.sent().connections[0]
    must(stored.ordered, 'what is stored is out of order or doubled')
    must(
      stored.frames + lost === sent.frames,
      `${stored.frames} stored and ${lost} counted as lost of ${sent.frames} sent`,
    )
    const gaps = (await gapsOf(file, session)).filter((gap) => gap.cause === 'disk')
    must(gaps.length === 1 && gaps[0].toMs !== null, `the hole is ${JSON.stringify(gaps)}`)
    const report = await verified(file, null)
    must(report.ok, `verify finds ${JSON.stringify(report.problems.slice(0, 3))}`)
    return (
      `told after ${told.toFixed(0)} ms, resumed ${back.toFixed(0)} ms after there was room; ` +
      `${stored.frames} stored and ${lost} in the gap of cause disk, of ${sent.frames} sent`
    )
  } finally {
    await simulator.close()
    disk.end()
  }
}

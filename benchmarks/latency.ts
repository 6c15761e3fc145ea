/** How long a message at 10,000 a second is in danger: from its receipt to its commit, beside a bare fdatasync. */
import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../src/main/base/clock.ts'
import { percentile, row, type Row } from './row.ts'
import { startSender } from './sender.ts'
import { inFolder, startSession } from './session.ts'

const FEED = 'crypto/XT'
const RATE = 10_000
/** The recorder's own: how long a frame may wait for those that share its commit. */
const FLUSH_MS = 8
const PROBE_BYTES = 4096
/** Not measured: until then sealing has run a few times and is compiled. */
const WARM_UP = 4 * RATE

/** Measures `secondsLong` of messages, and as many probes before as after them. */
export async function benchLatency(secondsLong: number): Promise<Row> {
  const { p99, fdatasyncP99 } = await inFolder((folder) => measure(folder, secondsLong))
  return row({
    name: `receive → committed, p99 at ${RATE.toLocaleString('en')} messages/s`,
    unit: 'ms',
    ours: p99,
    peer: 1.5 * fdatasyncP99 + FLUSH_MS,
    peerName: `1.5 × fdatasync of 4 KiB (p99 ${fdatasyncP99.toFixed(1)} ms) + flush ${FLUSH_MS} ms`,
    goal: { is: 'at most', ratio: 1 },
  })
}

async function measure(folder: string, secondsLong: number): Promise<{ p99: number; fdatasyncP99: number }> {
  const probes = Math.ceil((secondsLong * 1_000) / FLUSH_MS / 4)
  const synced = await probe(folder, probes)
  const delays = await receiveToCommitted(folder, secondsLong * RATE)
  synced.push(...(await probe(folder, probes)))
  return { p99: percentile(delays, 0.99), fdatasyncP99: percentile(synced, 0.99) }
}

/** Milliseconds of appends of 4 KiB with fdatasync, as often as the recorder flushes. */
async function probe(folder: string, times: number): Promise<number[]> {
  const file = openSync(join(folder, 'probe'), 'a')
  const page = Buffer.alloc(PROBE_BYTES, 1)
  const took: number[] = []
  for (let i = 0; i < times; i++) {
    const from = performance.now()
    writeSync(file, page)
    fdatasyncSync(file)
    took.push(performance.now() - from)
    await sleep(FLUSH_MS)
  }
  closeSync(file)
  return took
}

/** Milliseconds from each message's stamp to the commit that holds it. What warms up is left out. */
async function receiveToCommitted(folder: string, messages: number): Promise<Float64Array> {
  const sender = await startSender({ feed: FEED, messages: messages + WARM_UP, rate: RATE })
  try {
    const delays = new Float64Array(messages)
    /** Received and not yet committed, oldest first. */
    let seqs: number[] = []
    let stamps: number[] = []
    let count = -WARM_UP
    const session = await startSession({
      file: join(folder, 'store.db'),
      baseUrl: sender.baseUrl,
      wants: [[FEED, ['BTC-USD']]],
      seen: (seq, monoNs) => {
        seqs.push(seq)
        stamps.push(monoNs)
      },
    })
    session.writer.onEvent((event) => {
      if (event.is !== 'committed') return
      const now = systemClock.monoNs()
      let done = 0
      while (done < seqs.length && seqs[done] <= event.seq) {
        if (count >= 0) delays[count] = (now - stamps[done]) / 1e6
        count++
        done++
      }
      seqs = seqs.slice(done)
      stamps = stamps.slice(done)
    })
    await session.stored(messages + WARM_UP + 1)
    await session.close()
    if (count !== messages) throw new Error(`${count + WARM_UP} of ${messages + WARM_UP} messages were committed`)
    return delays
  } finally {
    sender.close()
  }
}

if (process.argv[1] === import.meta.filename) console.log(await benchLatency(Number(process.argv[2] ?? 10)))

/**
 * Ticks to measure with: the demo market's Bitcoin tape, played forwards and backwards with a slow
 * drift, as the messages that the service would send and with the stamps of the recorder (whole
 * microseconds). The same in every run.
 */
import type { MessageColumns } from '../src/main/core/store/types/messages.ts'
import { BLOCK_ROWS } from '../src/main/core/store/write/open-session.ts'
import { readTape, type Tape } from '../src/simulator/market/tape.ts'
import { instrumentId } from '../src/shared/base/units.ts'

/** How a server writes: as JavaScript's JSON.stringify, or as Python's json.dumps. */
export type TextStyle = 'javascript' | 'python'

const dataDir = new URL('../resources/demo/', import.meta.url)
const encoder = new TextEncoder()

function btc(): Tape {
  const tape = readTape(dataDir, instrumentId('crypto', 'BTC-USD'))
  if (tape === undefined) throw new Error('resources/demo lacks the Bitcoin tape')
  return tape
}

/** Numbers from 0 to 1, the same in every run. */
function lcg(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 0x1_0000_0000
  }
}

function pythonNumber(value: number): string {
  if (Number.isInteger(value)) return `${value}.0`
  return value < 1e-4 ? value.toExponential().replace(/e-(\d)$/, 'e-0$1') : String(value)
}

/** Runs of at most BLOCK_ROWS messages of one feed, `count` in all. */
export function* messageRuns(
  feed: 'crypto/XT' | 'crypto/XQ',
  count: number,
  style: TextStyle = 'javascript',
): Generator<MessageColumns> {
  const tape = btc()
  const wanted = feed === 'crypto/XQ' ? 1 : 0
  const events: number[] = []
  for (let i = 0; i < tape.events; i++) if (tape.isQuote[i] === wanted) events.push(i)
  const scale = 10 ** tape.decimals
  const lots = 10 ** tape.sizeDecimals
  const number = style === 'python' ? pythonNumber : String
  const [colon, comma] = style === 'python' ? [': ', ', '] : [':', ',']
  const random = lcg(7)
  const start = Date.UTC(2024, 7, 8)
  let round = 0
  let base = start
  let at = 0
  let recvNs = 0
  let seq = 0
  let drift = 0
  for (let done = 0; done < count;) {
    const n = Math.min(BLOCK_ROWS, count - done)
    const run = {
      count: n,
      seq: new Float64Array(n),
      conn: new Uint32Array(n).fill(1),
      connSeq: new Uint32Array(n),
      recvMs: new Float64Array(n),
      monoNs: new Float64Array(n),
      flags: new Uint8Array(n),
      offsets: new Uint32Array(n + 1),
      bytes: new Uint8Array(n * 128),
    }
    let to = 0
    for (let i = 0; i < n; i++) {
      if (at === events.length) {
        at = 0
        round++
        base += tape.durationMs + 1
      }
      // forwards, then backwards: prices meet where the tape turns
      const event = events[round % 2 === 0 ? at : events.length - 1 - at]
      const offset = round % 2 === 0 ? tape.offset[event] : tape.durationMs - tape.offset[event]
      at++
      if (random() < 0.001) drift += random() < 0.5 ? -1 : 1
      const ms = base + offset
      // a few ms of way, now and then more; frames of one burst are microseconds apart
      const arrival = (ms - start) * 1e6 + 2e6 + random() * random() * 2e7
      recvNs = Math.max(recvNs + 2000 + Math.floor(random() * 9000), Math.floor(arrival))
      seq += random() < 0.6 ? 1 : 1 + Math.floor(random() * 6)
      const first = (tape.first[event] + drift) / scale
      const text =
        feed === 'crypto/XT'
          ? `{"ev"${colon}"XT"${comma}"pair"${colon}"BTC-USD"${comma}"p"${colon}${number(first)}${comma}"t"${colon}${ms}${comma}"s"${colon}${number(tape.second[event] / lots)}}`
          : `{"ev"${colon}"XQ"${comma}"pair"${colon}"BTC-USD"${comma}"bp"${colon}${number(first)}${comma}"ap"${colon}${number((tape.second[event] + drift) / scale)}${comma}"t"${colon}${ms}}`
      to += encoder.encodeInto(text, run.bytes.subarray(to)).written
      run.offsets[i + 1] = to
      run.seq[i] = seq
      run.connSeq[i] = done + i + 1
      run.monoNs[i] = Math.floor(recvNs / 1000) * 1000
      run.recvMs[i] = start + Math.floor(recvNs / 1e6)
    }
    run.bytes = run.bytes.subarray(0, to)
    done += n
    yield run
  }
}

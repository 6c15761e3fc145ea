/**
 * A process that records a service until it is killed: `node recorder.ts FILE BASE_URL`, the token in
 * TOKEN. Says on standard output, a line each: `id ID`, `r SEQ MS` for what was received and when,
 * `c SEQ` for the last message that a commit acknowledged.
 */
import { writeSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { startSession } from '../../benchmarks/session.ts'
import { CRASH_WANTS } from './crash-wants.ts'

const [file, baseUrl] = process.argv.slice(2)
if (file === undefined || baseUrl === undefined) throw new TypeError('usage: recorder FILE BASE_URL')
let received = 0
/** Seqs of messages on their way to a commit. */
let open: number[] = []
const { session, writer } = await startSession({
  file,
  baseUrl,
  access: process.env.TOKEN ?? '',
  wants: CRASH_WANTS,
  seen: (seq) => {
    open.push(seq)
    if (received++ % 20 === 0) writeSync(1, `r ${seq} ${Date.now()}\n`)
  },
})
writeSync(1, `id ${session}\n`)
flushCompileCache() // death comes without a warning, and the next one wants to start faster
writer.onEvent((event) => {
  if (event.is !== 'committed') return
  const last = open.findLast((seq) => seq <= event.seq)
  open = open.filter((seq) => seq > event.seq)
  if (last !== undefined) writeSync(1, `c ${last}\n`)
})

/**
 * Reads files for imports: in a thread of its own, because parsing takes turns of up to a second, during which the thread
 * of the terminal couldn't receive; or in the caller's.
 */
import { Worker, type MessagePort } from 'node:worker_threads'
import { CodedError, toFailure, type Failure } from '../../../shared/base/errors.ts'
import type { FeedId } from '../../../shared/base/units.ts'
import type { CsvMapping, ImportProblem } from '../../../shared/features/import/import.ts'
import { failureError } from '../../core/store/rpc/rpc.ts'
import { kindOfText, type TextKind } from './kinds.ts'
import { incoming, type Portion } from './rows.ts'

export interface FileReading {
  /** Throws `cancelled` when the signal aborts: at once in a thread. */
  readonly kindOf: (path: string, signal?: AbortSignal) => Promise<TextKind>
  readonly incoming: typeof incoming
}

/** Reads in the caller's thread. */
export const READ_HERE: FileReading = { kindOf: kindOfText, incoming }

/** What V8 may take for the objects of a file, MB. */
const MEMORY_MB = 2_048

/** What a thread reads, given when it starts. */
export type Task =
  | { readonly is: 'kind'; readonly path: string }
  | {
      readonly is: 'rows'
      readonly path: string
      readonly kind: TextKind
      readonly mapping: CsvMapping | null
    }

/** A portion as it crosses threads: the bytes of its messages one after another, and columns of the rest. */
interface PackedPortion {
  readonly feed: readonly FeedId[]
  readonly seq: readonly (number | null)[]
  readonly recvMs: readonly number[]
  readonly flags: readonly number[]
  readonly length: readonly number[]
  readonly all: Uint8Array<ArrayBuffer>
  readonly problems: readonly ImportProblem[]
  readonly bytes: number
}

type Report =
  | { readonly is: 'kind'; readonly kind: TextKind }
  /** Null: there are no more. */
  | { readonly is: 'portion'; readonly portion: PackedPortion | null }
  | { readonly is: 'failed'; readonly failure: Failure }

function pack({ messages, problems, bytes }: Portion): PackedPortion {
  const all = new Uint8Array(messages.reduce((sum, one) => sum + one.bytes.length, 0))
  let at = 0
  for (const one of messages) {
    all.set(one.bytes, at)
    at += one.bytes.length
  }
  return {
    feed: messages.map(({ feed }) => feed),
    seq: messages.map(({ seq }) => seq),
    recvMs: messages.map(({ recvMs }) => recvMs),
    flags: messages.map(({ flags }) => flags),
    length: messages.map((one) => one.bytes.length),
    all,
    problems,
    bytes,
  }
}

function unpack({ feed, seq, recvMs, flags, length, all, problems, bytes }: PackedPortion): Portion {
  let at = 0
  const messages = feed.map((ofFeed, i) => ({
    feed: ofFeed,
    seq: seq[i],
    recvMs: recvMs[i],
    flags: flags[i],
    bytes: all.subarray(at, (at += length[i])),
  }))
  return { messages, problems, bytes }
}

/** Reads in threads of the module `worker`, one for each file. Undefined: in the caller's thread. */
export function readIn(worker: URL | undefined): FileReading {
  if (worker === undefined) return READ_HERE
  return {
    async kindOf(path, signal) {
      const reading = startReading(worker, { is: 'kind', path })
      try {
        const report = await reportOf(reading, signal)
        if (report.is === 'kind') return report.kind
        throw new TypeError('a thread that was asked for the kind of a file reports it')
      } finally {
        await reading.thread.terminate()
      }
    },
    async *incoming(path, kind, mapping, signal) {
      const reading = startReading(worker, { is: 'rows', path, kind, mapping })
      try {
        for (;;) {
          const report = await reportOf(reading, signal)
          if (report.is !== 'portion' || report.portion === null) return
          yield unpack(report.portion)
        }
      } finally {
        await reading.thread.terminate()
      }
    },
  }
}

/** A thread that reads, and why it ended, if it did: nobody may be waiting for a report just then. */
interface Reading {
  readonly thread: Worker
  failure: CodedError | null
}

function startReading(worker: URL, task: Task): Reading {
  const resourceLimits = { maxOldGenerationSizeMb: MEMORY_MB }
  const reading: Reading = {
    thread: new Worker(worker, { workerData: task, name: 'import', resourceLimits }),
    failure: null,
  }
  // These stay to its end: an 'error' that nobody listens to would end the terminal.
  reading.thread.on('error', (cause) => (reading.failure ??= threadFailure(cause)))
  reading.thread.on('exit', () => (reading.failure ??= threadFailure(undefined)))
  return reading
}

/** Asks for the next report, and throws what failed, or `cancelled` at once. */
function reportOf(reading: Reading, signal?: AbortSignal): Promise<Report> {
  const { thread } = reading
  return new Promise((resolve, reject) => {
    const settle = (act: () => void): void => {
      thread.off('message', take)
      thread.off('error', fail)
      thread.off('exit', fail)
      signal?.removeEventListener('abort', cancel)
      act()
    }
    const take = (report: Report): void =>
      settle(() => (report.is === 'failed' ? reject(failureError(report.failure)) : resolve(report)))
    // The listeners of `startReading` come first, and say why.
    const fail = (): void => settle(() => reject(reading.failure ?? threadFailure(undefined)))
    const cancel = (): void => settle(() => reject(new CodedError('cancelled', 'The import was canceled.')))
    if (signal?.aborted === true) return cancel()
    if (reading.failure !== null) return fail()
    thread.on('message', take)
    thread.on('error', fail)
    thread.on('exit', fail)
    signal?.addEventListener('abort', cancel)
    thread.postMessage('next')
  })
}

const threadFailure = (cause: unknown): CodedError =>
  cause instanceof Error && 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? new CodedError('too-large', 'Reading the file takes too much memory.', {
        hint: 'Split it, or write Parquet with smaller row groups, and import that.',
        cause,
      })
    : new CodedError('internal', 'The thread that reads the file ended unexpectedly.', { cause })

/** Reads what the thread was started for, a report for each message of its port. */
export function serveReading(port: MessagePort, task: Task): void {
  const portions = task.is === 'rows' ? incoming(task.path, task.kind, task.mapping) : null
  const next = async (): Promise<Report> => {
    if (portions === null) return { is: 'kind', kind: await kindOfText(task.path) }
    const { value, done } = await portions.next()
    return { is: 'portion', portion: done === true ? null : pack(value) }
  }
  const answer = async (): Promise<void> => {
    const report = await next().catch((thrown: unknown): Report => ({ is: 'failed', failure: toFailure(thrown) }))
    const moved = report.is === 'portion' && report.portion !== null ? [report.portion.all.buffer] : []
    port.postMessage(report, moved)
  }
  port.on('message', () => void answer())
}

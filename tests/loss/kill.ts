/** Kills a recording process with SIGKILL in a burst, and says what it had told and what the store then holds. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { openStoreReader } from '../../src/main/core/store/open.ts'
import { sessionId, type SessionId } from '../../src/shared/base/units.ts'

export interface Killed {
  readonly session: SessionId
  /** Seq of the last message whose commit was acknowledged before death. */
  readonly committed: number
  /** Messages said to be received, by number, and when, by the process's own clock. */
  readonly received: readonly { readonly n: number; readonly atMs: number }[]
  readonly killedMs: number
  /** The last stage it had said it was in: lines `s STAGE`. */
  readonly stage: string | undefined
  /** Backups it began, by number, with the last seq that was on disk then: lines `b N SEQ`. */
  readonly backups: ReadonlyMap<number, number>
  /** Those that it said were made: lines `B N`. */
  readonly backedUp: readonly number[]
}

export interface KillOptions {
  /** A program of this folder and its arguments; it prints lines of a kind (id, r, c, s, b, B) and values. */
  readonly program: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** How the line begins after which it is killed, so much later. */
  readonly after: 'r' | 'c' | `s ${string}` | `b ${number}`
  readonly afterMs: number
}

/** Starts a program that records, and kills it. */
export async function spawnAndKill({ program, args, env, after, afterMs }: KillOptions): Promise<Killed> {
  const child = spawn(process.execPath, [fileURLToPath(new URL(program, import.meta.url)), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  })
  let text = ''
  let errors = ''
  const bursting = Promise.withResolvers<void>()
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part
    if (new RegExp(`^${after}\\b`, 'm').test(text)) bursting.resolve()
  })
  child.stderr.setEncoding('utf8').on('data', (part: string) => (errors += part))
  // Not before its output is read to the end: a stage that it said counts.
  const gone = once(child, 'close')
  void gone.then(() => bursting.reject(new Error(`${program} ended by itself: ${errors}`)))
  await bursting.promise
  await new Promise((resolve) => setTimeout(resolve, afterMs))
  const killedMs = Date.now()
  child.kill('SIGKILL')
  await gone
  const lines = text.slice(0, text.lastIndexOf('\n')).split('\n')
  const of = (kind: string): string[][] => lines.map((line) => line.split(' ')).filter(([k]) => k === kind)
  return {
    session: sessionId(of('id')[0][1]),
    committed: Number(of('c').at(-1)?.[1] ?? 0),
    received: of('r').map(([, n, atMs]) => ({ n: Number(n), atMs: Number(atMs) })),
    killedMs,
    stage: of('s').at(-1)?.[1],
    backups: new Map(of('b').map(([, n, seq]) => [Number(n), Number(seq)])),
    backedUp: of('B').map(([, n]) => Number(n)),
  }
}

/** Starts a burst into `file`, kills it `afterMs` after its first commit. */
export const killBurst = (file: string, afterMs: number): Promise<Killed> =>
  spawnAndKill({ program: 'burst.ts', args: [file], after: 'c', afterMs })

/**
 * Reads back every seq of a recording, in order. Entries count, too: where a process is suspended between its looks at the
 * two clocks, it records that the clock moved.
 */
export async function kept(file: string, session: SessionId): Promise<number[]> {
  const reader = await openStoreReader({ file })
  const seqs: number[] = []
  for await (const batch of reader.replay({ session, afterSeq: 0 })) {
    seqs.push(...batch.seq.subarray(0, batch.count), ...batch.entries.map(({ seq }) => seq))
  }
  await reader.close()
  return seqs.sort((a, b) => a - b)
}

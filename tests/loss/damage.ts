/**
 * Damage to the files that a clean end and a kill -9 leave: flipped bits, swapped pages, zeroed stretches, cut ends, of
 * the database and of its write-ahead log. Whatever changes what can be read must be named by verification.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inspectLog } from '../../src/main/core/store/wal/log-check.ts'
import { openLocalReader } from '../../src/main/core/store/threads/reader.ts'
import { readEverything } from '../unit/main/core/store/harness.ts'
import { spawnAndKill } from './kill.ts'
import { must } from './stored.ts'

const SUFFIXES = ['', '-wal', '-head'] as const
type Suffix = (typeof SUFFIXES)[number]
type Files = ReadonlyMap<Suffix, Buffer>
const PAGE = 2048
const FRAME = 24 + PAGE
/** Of a log's damages, which are found before the database is read, one in so many is verified whole all the same. */
const WHOLE_EVERY = 10

const KINDS = ['flip', 'swap', 'zero', 'truncate'] as const

/** Deterministic, so that a failure can be looked at. */
function random(seed: number): () => number {
  let s = seed
  return () => {
    s = (Math.imul(s, 1664525) + 1013904223) >>> 0
    return s / 2 ** 32
  }
}

/** Another content than `good`. */
function damaged(good: Buffer, kind: (typeof KINDS)[number], next: () => number, isLog: boolean): Buffer {
  for (;;) {
    let bad = Buffer.from(good)
    const at = Math.floor(next() * good.length)
    switch (kind) {
      case 'flip':
        // Mostly where something is written.
        if (good[at] === 0 && next() < 0.75) continue
        bad[at] = bad[at] ^ (1 << Math.floor(next() * 8))
        break
      case 'swap': {
        const [start, size] = isLog ? [32, FRAME] : [0, PAGE]
        const pages = Math.floor((good.length - start) / size)
        const [a, b] = [0, 0].map(() => start + Math.floor(next() * pages) * size)
        good.copy(bad, a, b, b + size)
        good.copy(bad, b, a, a + size)
        break
      }
      case 'zero':
        bad.fill(0, at, Math.min(good.length, at + 1 + Math.floor(next() * 2 * PAGE)))
        break
      case 'truncate':
        bad = bad.subarray(0, at)
    }
    if (!bad.equals(good)) return bad
  }
}

function put(file: string, files: Files): void {
  for (const suffix of [...SUFFIXES, '-shm']) rmSync(file + suffix, { force: true })
  for (const [suffix, bytes] of files) writeFileSync(file + suffix, bytes)
}

const take = (file: string): Files =>
  new Map(SUFFIXES.filter((suffix) => existsSync(file + suffix)).map((suffix) => [suffix, readFileSync(file + suffix)]))

async function contents(file: string): Promise<string> {
  const reader = openLocalReader(file)
  try {
    const { db } = reader.queries
    return JSON.stringify([
      await readEverything(reader),
      await reader.sessions(),
      db.prepare('SELECT * FROM entry').all(),
      db.prepare('SELECT n, kind, body, hex(hash) FROM store_log').all(),
    ])
  } finally {
    await reader.close()
  }
}

async function isFound(file: string): Promise<boolean> {
  try {
    const reader = openLocalReader(file)
    try {
      return !(await reader.verify(null)).ok
    } finally {
      await reader.close()
    }
  } catch {
    return true // refused
  }
}

/** Damages each file of each state so many times in each way. Answers what was seen. */
export async function damage(folder: string, times: number, say: (text: string) => void): Promise<string> {
  const states = new Map<string, Files>()
  const ended = join(folder, 'ended.db')
  const done = spawnSync(process.execPath, [fileURLToPath(new URL('few.ts', import.meta.url)), ended, 'end'])
  must(done.status === 0, `the recording did not end: ${done.stderr.toString()}`)
  states.set('clean end', take(ended))
  must((states.get('clean end')?.get('-wal')?.length ?? 0) === 0, 'a clean end left something in the log')
  const killed = join(folder, 'killed.db')
  await spawnAndKill({ program: 'few.ts', args: [killed], after: 'c', afterMs: 0 })
  states.set('kill -9', take(killed))
  const logBytes = states.get('kill -9')?.get('-wal')?.length ?? 0
  must(logBytes > 10 * FRAME, `the killed recording left a log of only ${logBytes} bytes`)

  const copy = join(folder, 'copy.db')
  const next = random(1)
  let tried = 0
  let harmless = 0
  for (const [state, files] of states) {
    put(copy, files)
    const whole = await contents(copy)
    must(!(await isFound(copy)), `${state}: verification names something though nothing was damaged`)
    for (const suffix of ['', '-wal'] as const) {
      const good = files.get(suffix)
      if (good === undefined || good.length === 0) continue
      const isLog = suffix === '-wal'
      for (const kind of KINDS) {
        let same = 0
        for (let i = 0; i < times; i++) {
          const bad = damaged(good, kind, next, isLog)
          put(copy, new Map([...files, [suffix, bad]]))
          tried++
          if (isLog && i % WHOLE_EVERY !== 0 && inspectLog(copy, () => false).verdict.is !== 'sound') continue
          if (await isFound(copy)) continue
          const now = await contents(copy).catch(() => 'unreadable')
          must(now === whole, `${state}: ${kind} ${i} of the ${isLog ? 'log' : 'database'} was missed`)
          same++
        }
        harmless += same
        say(
          `${state}, ${isLog ? 'log' : 'database'}: ${times} × ${kind}, 0 missed, ${same} changed nothing that is read`,
        )
      }
    }
  }
  return `${tried} damages, 0 missed, ${harmless} of them in bytes that nothing is read from`
}

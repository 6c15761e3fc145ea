/** The session that the gap loop imports while another one is recorded, and what a kill may leave of it: all or nothing. */
import Database from 'better-sqlite3'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Clock } from '../../src/main/base/clock.ts'
import { exportPackage } from '../../src/main/features/sessions/pack.ts'
import { importPackage } from '../../src/main/features/sessions/unpack.ts'
import { createRecorder } from '../../src/main/core/recording/recorder.ts'
import { openStoreReader, openStoreWriter } from '../../src/main/core/store/open.ts'
import type { StoreLibrary } from '../../src/main/core/store/types/library.ts'
import type { StoreReader } from '../../src/main/core/store/types/reader.ts'
import { newSessionId } from '../../src/main/core/store/types/session-id.ts'
import { instrumentId, monoNs, unixMs, type SessionId } from '../../src/shared/base/units.ts'
import { IMPORT_FILE, IMPORT_STAGES, type ImportStage } from './gap-phases.ts'
import { must, until } from './stored.ts'

/** 6 MB: an import seals blocks after 4 MB and at its end, and writes its first flushes long before. */
const MESSAGES = 40_000
const PER_FLUSH = 100
const START_MS = Date.UTC(2026, 0, 5, 14)
/** Above every number of the live service, so that a message in the wrong session was never sent there. */
const FIRST_NUMBER = 1_000_000_000
const SYMBOLS = ['BTC-USD', 'ETH-USD', 'SOL-USD'] as const
const PADDING = 'y'.repeat(60)

export interface ImportedSession {
  readonly id: SessionId
  /** The session file. */
  readonly bytes: Uint8Array
  /** SHA-256 of everything that a reader gives of it, in the store where it was recorded. */
  readonly contents: string
}

/** Records a session of two feeds with a gap, and packs it. */
export async function makeImportedSession(folder: string): Promise<ImportedSession> {
  const file = join(folder, 'other.db')
  const out = join(folder, IMPORT_FILE)
  const id = await record(file)
  const reader = await openStoreReader({ file })
  try {
    const blocks = countBlocks(file)
    must(blocks >= 6, `the session to be imported has only ${blocks} blocks`)
    await exportPackage(reader, id, out, '1')
    return { id, bytes: await readFile(out), contents: await contentsOf(reader, id) }
  } finally {
    await reader.close()
  }
}

async function record(file: string): Promise<SessionId> {
  let atMs = START_MS
  const clock: Clock = {
    wallMs: () => unixMs(atMs),
    monoNs: () => monoNs((atMs - START_MS) * 1e6),
    after(ms, then) {
      const timer = setTimeout(then, ms)
      return () => clearTimeout(timer)
    },
  }
  const writer = await openStoreWriter({ file })
  const recorder = createRecorder({ writer, clock, newId: newSessionId })
  const id = await recorder.start({ kind: 'demo', origin: 'demo', user: '' })
  const conns = [recorder.connection('crypto/XT'), recorder.connection('crypto/XQ')] as const
  const encoder = new TextEncoder()
  for (let n = 1; n <= MESSAGES; n++) {
    atMs = START_MS + Math.floor(n / 4)
    const stamp = { wallMs: clock.wallMs(), monoNs: clock.monoNs() }
    const text = textOf(n, atMs)
    recorder.frame(conns[n % 2], encoder.encode(text), false, stamp)
    if (n === MESSAGES / 2) {
      const openedSeq = recorder.entry(
        { type: 'gap-open', feed: 'crypto/XT', cause: 'drop', symbols: [], fromMs: stamp.wallMs },
        stamp,
      )
      recorder.entry({ type: 'gap-close', feed: 'crypto/XT', openedSeq }, stamp)
    }
    if (n % PER_FLUSH === 0) await until(() => recorder.stats().backlogBytes === 0, 60_000, 'nothing was stored')
  }
  await recorder.stop()
  await writer.close()
  return id
}

function textOf(n: number, atMs: number): string {
  const symbol = SYMBOLS[n % SYMBOLS.length]
  const number = FIRST_NUMBER + n
  return n % 2 === 0
    ? `{"ev":"XT","pair":"${symbol}","p":${100 + (n % 50)}.5,"t":${atMs},"s":${number},"x":"${PADDING}"}`
    : `{"ev":"XQ","pair":"${symbol}","bp":1.5,"bs":${number},"ap":2.5,"as":1,"t":${atMs},"x":"${PADDING}"}`
}

/** Messages with every stamp, entries and gaps in their order, and the bars made of them. */
async function contentsOf(reader: StoreReader, session: SessionId): Promise<string> {
  const hash = createHash('sha256')
  for await (const batch of reader.replay({ session, afterSeq: 0 })) {
    const { count, feed, seq, recvMs, monoNs: mono, conn, flags, offsets, bytes, entries } = batch
    for (let i = 0; i < count; i++) {
      hash.update(`${feed[i]} ${seq[i]} ${recvMs[i]} ${mono[i]} ${conn[i]} ${flags[i]}\n`)
      hash.update(bytes.subarray(offsets[i], offsets[i + 1])).update('\n')
    }
    for (const entry of entries) hash.update(`${JSON.stringify(entry)}\n`)
  }
  hash.update(JSON.stringify(await reader.gaps({ session })))
  const row = (await reader.sessions()).find((one) => one.session === session)
  must(row !== undefined, `session ${session} isn't listed`)
  for (const symbol of SYMBOLS) {
    const { bars } = await reader.bars({
      instrument: instrumentId('crypto', symbol),
      of: 'trade',
      interval: '1s',
      source: row?.source ?? '',
      beforeMs: null,
      limit: 1_000,
    })
    must(bars.length > 0, `session ${session} has no bars of ${symbol}`)
    hash.update(JSON.stringify(bars))
  }
  return hash.digest('hex')
}

/** What the recorder said last before it was killed. */
export function importStage(text: string | undefined): ImportStage {
  const stage = IMPORT_STAGES.find((one) => one === text)
  if (stage === undefined) throw new Error(`the recorder said no stage of its import but ${text}`)
  return stage
}

/**
 * Whether the session is in the store, as a reader sees it. Throws if only some of it is, if more than it is, or if it
 * contradicts what the recorder said last: an import that was confirmed is durable, a session that was erased is gone.
 */
export async function checkImport(
  file: string,
  session: ImportedSession,
  last: ImportStage,
  where: string,
): Promise<boolean> {
  const reader = await openStoreReader({ file })
  try {
    const others = (await reader.sessions()).filter(({ source }) => !source.startsWith('service'))
    const isThere = others.length > 0
    must(
      others.length <= 1 && others.every((row) => row.session === session.id),
      `${where}: the store lists ${others.map((row) => `${row.session} of ${row.source}`).join(', ')}`,
    )
    must(isThere || last !== 'imported', `${where}: an import that was confirmed is gone`)
    must(!isThere || last !== 'erased', `${where}: a session that was erased is back`)
    if (isThere) {
      must((await contentsOf(reader, session.id)) === session.contents, `${where}: the imported session differs`)
    } else {
      for (const feed of ['crypto/XT', 'crypto/XQ'] as const)
        for await (const run of reader.ticks({ feed, instruments: null }))
          must(run.session !== session.id, `${where}: ${run.count} messages of an unfinished import are readable`)
    }
    return isThere
  } finally {
    await reader.close()
  }
}

/** Imports the session after a kill: it is found whole or comes in whole, and nothing remains of what was cut off. */
export async function importAgain(
  file: string,
  session: ImportedSession,
  wasThere: boolean,
  library: StoreLibrary,
  where: string,
): Promise<void> {
  const outcome = await importPackage(join(dirname(file), IMPORT_FILE), library)
  must(outcome.session === session.id, `${where}: imported again, it is ${outcome.session}`)
  must(outcome.already === wasThere, `${where}: imported again, it was there already: ${outcome.already}`)
  await checkImport(file, session, 'imported', `${where}, imported again`)
  await until(() => countRemains(file) === 0, 60_000, `${where}: ${countRemains(file)} rows of no session remain`)
}

const RECORDING_TABLES = ['series', 'journal', 'gap', 'entry', 'chain', 'connection', 'snapshot', 'label', 'bookmark']

/** Rows that belong to no session: of an import that isn't whole yet, or of an erased session that isn't cleared yet. */
export function countRemains(file: string): number {
  const owned = RECORDING_TABLES.map(
    (table) => `SELECT count(*) AS n FROM ${table} WHERE recording NOT IN (SELECT id FROM recording)`,
  )
  const ofSeries = ['block', 'rollup'].map(
    (table) => `SELECT count(*) AS n FROM ${table} WHERE series NOT IN (SELECT id FROM series)`,
  )
  return count(file, `SELECT sum(n) FROM (${[...owned, ...ofSeries].join(' UNION ALL ')})`)
}

const countBlocks = (file: string): number => count(file, 'SELECT count(*) FROM block')

function count(file: string, sql: string): number {
  const db = new Database(file, { readonly: true, fileMustExist: true, timeout: 5_000 })
  try {
    return Number(db.prepare(sql).pluck().get())
  } finally {
    db.close()
  }
}

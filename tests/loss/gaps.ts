/**
 * kill -9 in everything a store does, with several feeds, bursts and frames waiting in the sockets. What the service sent is
 * then compared with what is stored: nothing invented, nothing doubled, everything lost inside a gap, and no complete bar
 * that lacks a trade; before the next start and after it.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { settleRestore } from '../../src/main/features/backup/restore-note.ts'
import { lockStore } from '../../src/main/core/store/schema/lock.ts'
import { realStorePath } from '../../src/main/core/store/schema/store-path.ts'
import { openStoreReader, openStoreWriter } from '../../src/main/core/store/open.ts'
import type { StoreReader } from '../../src/main/core/store/types/reader.ts'
import { sourceKey, type Gap, type SessionRow } from '../../src/shared/core/recording/session.ts'
import { instrumentId, instrumentKey, feedAsset, unixMs } from '../../src/shared/base/units.ts'
import { startFeedService, numberOf, type FeedService, type SentFrame } from './feed-service.ts'
import { GAP_WANTS, IMPORT_FILE, PHASES, type Phase } from './gap-phases.ts'
import {
  checkImport,
  countRemains,
  importAgain,
  importStage,
  makeImportedSession,
  type ImportedSession,
} from './imported.ts'
import { checkBackups } from './backed-up.ts'
import { spawnAndKill } from './kill.ts'
import { must } from './stored.ts'

const PER_TURN = 6
const DAY = 86_400_000
/** Fills a journal so that it is sealed within a second or two. */
const SEALING_BYTES = 6_000

interface Sums {
  lost: number
  stored: number
  bars: number
  complete: number
  /** Imports of which the kill left some rows, and those that were whole. */
  cutImports: number
  wholeImports: number
  /** Backups that the kill cut off, and those that were whole. */
  cutBackups: number
  wholeBackups: number
}

/** `phases`: those to kill in, by turns. */
export async function gapLoop(
  folder: string,
  kills: number,
  say: (text: string) => void,
  phases: readonly Phase[] = PHASES,
): Promise<string> {
  const service = await startFeedService(PER_TURN)
  const sums: Sums = {
    lost: 0,
    stored: 0,
    bars: 0,
    complete: 0,
    cutImports: 0,
    wholeImports: 0,
    cutBackups: 0,
    wholeBackups: 0,
  }
  try {
    const other = await makeImportedSession(folder)
    for (let i = 0; i < kills; i++) {
      await killOnce(folder, service, phases[i % phases.length], i, Math.floor(i / phases.length), other, sums)
      if ((i + 1) % phases.length === 0) say(`${i + 1} kills, ${sums.stored} stored, ${sums.lost} lost in gaps`)
    }
  } finally {
    await service.close()
  }
  // A few kills can all find empty sockets.
  must(
    (sums.lost > 0 && sums.complete > 0) || kills < PHASES.length,
    'nothing was lost, or no bar complete: this tested nothing',
  )
  must(
    sums.cutImports > 0 || !phases.includes('importing') || kills <= phases.indexOf('importing'),
    'no import was cut off: this tested none',
  )
  // Only the second round kills in a backup for sure.
  const hasBothRounds = kills >= 2 * phases.length
  must(
    (sums.cutBackups > 0 && sums.wholeBackups > 0) || !hasBothRounds || !phases.includes('backing up'),
    `${sums.cutBackups} backups were cut off and ${sums.wholeBackups} whole: this tested none`,
  )
  return (
    `${kills} kills in ${phases.length} phases: ${sums.stored} messages stored, ${sums.lost} lost, all inside gaps; ` +
    `0 invented, 0 doubled; ${sums.complete} of ${sums.bars} bars complete, none of them lacks a trade; ` +
    `${sums.cutImports} imports cut off and gone, ${sums.wholeImports} whole; ` +
    `${sums.cutBackups} backups cut off and gone, ${sums.wholeBackups} whole`
  )
}

async function killOnce(
  folder: string,
  service: FeedService,
  phase: Phase,
  i: number,
  round: number,
  other: ImportedSession,
  sums: Sums,
): Promise<void> {
  const where = `kill ${i + 1} (${phase})`
  const file = join(folder, String(i), 'gaps.db')
  await mkdir(dirname(file))
  await writeFile(join(dirname(file), IMPORT_FILE), other.bytes)
  // Midnight comes a little after the start, by the clocks of both.
  const nowMs = Date.now()
  const aheadMs = phase === 'rolling' ? Math.ceil(nowMs / DAY) * DAY - nowMs - 2_500 : 0
  service.set({ aheadMs, padding: phase === 'sealing' ? SEALING_BYTES : 0 })
  service.forget()
  const isOdd = round % 2 === 1
  const killed = await spawnAndKill({
    program: 'gap-recorder.ts',
    args: [file, service.baseUrl, phase, String(aheadMs)],
    env: { NODE_COMPILE_CACHE: join(folder, 'compiled') },
    // Of imports and backups the loop wants both: those that were cut off, and those that were confirmed, and erased perhaps.
    ...(phase === 'importing'
      ? isOdd
        ? { after: 's imported', afterMs: (i * 97) % 500 }
        : { after: 's held', afterMs: (i * 37) % 60 }
      : phase === 'backing up' && isOdd
        ? { after: 'b 3', afterMs: 10 + ((i * 37) % 60) }
        : { after: 'r', afterMs: 1_500 + ((i * 211) % 1_500) }),
  })
  const sent = new Map(service.sent)
  settleRestore(file, realStorePath, lockStore) // as every start does
  await checkBars(file, service, sent, `${where}, before the next start`, sums)
  if (phase === 'backing up') {
    const { whole, isCut } = await checkBackups(file, killed, `${where}, before the next start`, (reader) =>
      takeAll(reader, sent, where).then(() => undefined),
    )
    sums.wholeBackups += whole
    if (isCut) sums.cutBackups++
  }
  const stage = phase === 'importing' ? importStage(killed.stage) : null
  let wasImported = false
  if (stage !== null) {
    wasImported = await checkImport(file, other, stage, `${where}, before the next start`)
    if (wasImported) sums.wholeImports++
    else if (stage === 'held' || (stage === 'importing' && countRemains(file) > 0)) sums.cutImports++
    must(stage !== 'held' || countRemains(file) > 0, `${where}: the import that was cut off had stored nothing`)
  }
  const writer = await openStoreWriter({ file })
  const source = { kind: 'service', origin: new URL(service.baseUrl).origin, user: 'test' } as const
  await writer.begin(source, unixMs(Date.now() + aheadMs))
  if (stage !== null) {
    const isImported = await checkImport(file, other, stage, where)
    must(isImported === wasImported, `${where}: the next start changed whether the session is there`)
    await importAgain(file, other, isImported, writer.library, where)
  }
  await writer.end(unixMs(Date.now() + aheadMs), [])
  await writer.close()
  if (stage !== null) await checkImport(file, other, 'imported', `${where}, closed`)
  await checkLedger(file, sent, where, sums)
  await checkBars(file, service, sent, where, sums)
  await rm(dirname(file), { recursive: true })
}

/** Everything stored was sent, once; what was sent and is not stored lies in a gap, or where nothing was recorded. */
async function checkLedger(
  file: string,
  sent: ReadonlyMap<number, SentFrame>,
  where: string,
  sums: Sums,
): Promise<void> {
  const reader = await openStoreReader({ file })
  const { stored, sessions } = await takeAll(reader, sent, where)
  const gaps = sessions.flatMap((row) => row.gaps)
  const report = await reader.verify(null)
  await reader.close()
  must(report.ok, `${where}: verify finds ${JSON.stringify(report.problems.slice(0, 3))}`)
  for (const frame of sent.values()) {
    if (stored.has(frame.n)) continue
    sums.lost++
    must(isExplained(frame, gaps, sessions), `${where}: ${describe(frame)} is lost outside of every gap`)
  }
  sums.stored += stored.size
}

/** The numbers of all stored messages, each of which was sent, once; and the sessions they are in. */
async function takeAll(
  reader: StoreReader,
  sent: ReadonlyMap<number, SentFrame>,
  where: string,
): Promise<{ readonly stored: ReadonlySet<number>; readonly sessions: readonly SessionRow[] }> {
  const stored = new Set<number>()
  const sessions = (await reader.sessions()).filter(({ source }) => source.startsWith('service'))
  for (const { session } of sessions)
    for (const [feed] of GAP_WANTS) await takeStored(reader, session, feed, sent, stored, where)
  return { stored, sessions }
}

async function takeStored(
  reader: StoreReader,
  session: SessionRow['session'],
  feed: (typeof GAP_WANTS)[number][0],
  sent: ReadonlyMap<number, SentFrame>,
  stored: Set<number>,
  where: string,
): Promise<void> {
  for await (const run of reader.ticks({ feed, instruments: null, session })) {
    for (let row = 0; row < run.count; row++) {
      const n = numberOf(run.raw(row))
      if (n === undefined) continue // an acknowledgement
      must(sent.get(n)?.feed === feed, `${where}: message ${n} of ${feed} was never sent`)
      must(!stored.has(n), `${where}: message ${n} of ${feed} is stored twice`)
      stored.add(n)
    }
  }
}

const isExplained = (frame: SentFrame, gaps: readonly Gap[], sessions: readonly SessionRow[]): boolean =>
  gaps.some(
    (gap) => gap.feed === frame.feed && gap.fromMs <= frame.eventMs && frame.eventMs <= (gap.toMs ?? Infinity),
  ) || !sessions.some(({ startedMs, endedMs }) => startedMs <= frame.eventMs && frame.eventMs <= (endedMs ?? Infinity))

const describe = ({ n, feed, eventMs }: SentFrame): string =>
  `message ${n} of ${feed}, ${new Date(eventMs).toISOString()},`

/** No bar of a second that is called complete lacks a trade that was sent. */
async function checkBars(
  file: string,
  service: FeedService,
  sent: ReadonlyMap<number, SentFrame>,
  where: string,
  sums: Sums,
): Promise<void> {
  const [feed, symbols] = GAP_WANTS[0]
  const asset = feedAsset(feed)
  const reader = await openStoreReader({ file })
  const source = sourceKey({ kind: 'service', origin: new URL(service.baseUrl).origin, user: 'test' })
  for (const symbol of symbols) {
    const key = instrumentKey(asset, symbol)
    const traded = new Map<number, number>()
    for (const frame of sent.values()) {
      const second = Math.floor(frame.eventMs / 1_000) * 1_000
      if (frame.feed === feed && frame.key === key) traded.set(second, (traded.get(second) ?? 0) + 1)
    }
    const query = { instrument: instrumentId(asset, symbol), of: 'trade', interval: '1s', source } as const
    const { bars } = await reader.bars({ ...query, beforeMs: null, limit: 1_000 })
    for (const bar of bars) {
      sums.bars++
      if (!bar.complete) continue
      sums.complete++
      const all = traded.get(bar.startMs) ?? 0
      const second = new Date(bar.startMs).toISOString()
      must(bar.count === all, `${where}: the complete bar of ${symbol}, ${second}, has ${bar.count} of ${all} trades`)
    }
  }
  await reader.close()
}

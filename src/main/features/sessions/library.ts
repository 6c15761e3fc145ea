/** The library of recorded sessions: labels, bin, retention rules, compaction, session files. */
import { stat } from 'node:fs/promises'
import { basename, isAbsolute, join } from 'node:path'
import type { CallArgs } from '../../../shared/contracts.ts'
import type { PackageDone } from '../../../shared/features/sessions/contract.ts'
import { countText } from '../../../shared/base/count-text.ts'
import { CodedError, toFailure } from '../../../shared/base/errors.ts'
import { sizeText } from '../../../shared/base/size-text.ts'
import type { JobId } from '../../../shared/core/jobs/jobs.ts'
import type { SessionId } from '../../../shared/base/units.ts'
import type { LogEntry } from '../../../shared/core/status/status.ts'
import { retentionPlan, type RetentionRules } from '../../../shared/features/sessions/retention.ts'
import type { Clock } from '../../base/clock.ts'
import { exportPackage } from './pack.ts'
import { SUFFIX } from './parts.ts'
import type { FlowDayFiles } from '../../core/market/flow/flow-day-files.ts'
import type { StoreLibrary } from '../../core/store/types/library.ts'
import type { StoreReader } from '../../core/store/types/reader.ts'
import { isFileName } from '../../base/file-names.ts'
import { listUnfinishedFiles } from '../../core/jobs/unfinished-files.ts'
import type { Jobs } from '../../core/jobs/jobs.ts'

const RETENTION_MS = 3_600_000
/** Delay before the first run, so that a start isn't slowed down. */
const FIRST_RETENTION_MS = 10_000

export interface LibraryOptions {
  readonly reader: StoreReader
  /** Throws if the store isn't open for writing. */
  readonly library: () => StoreLibrary
  readonly jobs: Jobs
  readonly clock: Clock
  readonly rules: () => RetentionRules
  /** Sessions that may not be erased yet. Throws if they aren’t known. */
  readonly held: () => ReadonlySet<SessionId>
  readonly log: (level: LogEntry['level'], from: string, text: string, detail?: string) => void
  readonly version: string
  /** The app's folder. */
  readonly dataDir: string
  readonly flowDays: Pick<FlowDayFiles, 'forget'>
}

export interface SessionLibrary {
  annotate(args: CallArgs<'sessions.annotate'>): Promise<void>
  bin(args: CallArgs<'sessions.bin'>): Promise<void>
  erase(args: CallArgs<'sessions.erase'>): Promise<void>
  compact(): JobId
  package(args: CallArgs<'sessions.package'>): Promise<JobId>
  /** Applies the retention rules now. Never rejects. */
  applyRules(): Promise<void>
  close(): void
}

/** The library of a store. Applies the retention rules soon after it is created, and every hour. */
export function createSessionLibrary(options: LibraryOptions): SessionLibrary {
  const { reader, library, jobs, clock, log } = options
  let compacting: JobId | null = null
  let undo = (): void => {}

  /** Erases sessions, and the days of order flow made from them. */
  const eraseAll = async (sessions: readonly SessionId[]): Promise<void> => {
    await library().erase(sessions)
    await options.flowDays.forget(sessions).catch((thrown: unknown) => {
      const text = 'Couldn’t delete the saved order flow of erased sessions. Delete the folder flow-days yourself.'
      log('warn', 'sessions', text, toFailure(thrown).message)
    })
  }
  const applyRules = async (): Promise<void> => {
    const rules = options.rules()
    if (rules.keepDays === 0 && rules.keepGb === 0 && rules.binDays === 0) return
    try {
      const held = options.held()
      // Like pinned ones: they count toward the size, and others make room.
      const rows = (await reader.sessions(true)).map((row) => (held.has(row.session) ? { ...row, pinned: true } : row))
      const { bin, erase } = retentionPlan(rows, rules, clock.wallMs())
      if (bin.length > 0) {
        await library().label(bin.map((session) => ({ session, patch: {}, binnedMs: clock.wallMs() })))
        log('info', 'sessions', `${count(bin.length)} moved to the bin by the retention rules.`, bin.join(' '))
      }
      if (erase.length > 0) {
        await eraseAll(erase)
        log(
          'info',
          'sessions',
          `${count(erase.length)} erased after ${rules.binDays} days in the bin.`,
          erase.join(' '),
        )
      }
    } catch (thrown) {
      const { code, message } = toFailure(thrown)
      if (code !== 'not-found') log('warn', 'sessions', `Couldn’t apply the retention rules: ${message}`)
    }
  }
  const again = (ms: number): void => {
    undo = clock.after(ms, () => {
      void applyRules()
      again(RETENTION_MS)
    })
  }
  again(FIRST_RETENTION_MS)

  return {
    annotate: ({ session, ...patch }) => library().label([{ session, patch }]),
    async bin({ sessions, binned }) {
      const binnedMs = binned ? clock.wallMs() : null
      await library().label(sessions.map((session) => ({ session, patch: {}, binnedMs })))
      log('info', 'sessions', `${count(sessions.length)} ${binned ? 'moved to' : 'restored from'} the bin.`)
    },
    async erase({ sessions }) {
      const wanted = new Set<string>(sessions)
      const rows = (await reader.sessions(true)).filter(({ session }) => wanted.has(session))
      if (rows.some(({ binnedMs }) => binnedMs === null)) {
        throw new CodedError('not-allowed', 'Only a session in the bin can be erased.', {
          hint: 'Move it to the bin first.',
        })
      }
      await eraseAll(sessions)
      log('info', 'sessions', `${count(sessions.length)} erased permanently.`, sessions.join(' '))
    },
    compact() {
      if (compacting !== null) {
        throw new CodedError('busy', 'The store is already being compacted.', { hint: 'Its progress is shown below.' })
      }
      const job = jobs.start('compact', 'the store', 'bytes', async (progress, signal) => {
        try {
          const { merged, freedBytes } = await library().compact((done) => progress({ done }), signal)
          progress({ count: freedBytes, bytes: freedBytes })
          const text =
            merged === 0 && freedBytes === 0
              ? 'Nothing to free.'
              : `Freed ${sizeText(freedBytes)}; ${countText(merged, 'block')} merged.`
          log('info', 'sessions', `The store was compacted. ${text}`)
          return { text, result: { merged, freedBytes } }
        } finally {
          compacting = null
        }
      })
      compacting = job
      return job
    },
    async package({ session, folder, name, replace }) {
      const whole = name.toLowerCase().endsWith(SUFFIX) ? name : `${name}${SUFFIX}`
      if (!isFileName(whole)) {
        throw new CodedError('usage', `"${name}" isn’t a valid file name.`, { hint: 'Use letters, digits, - and _.' })
      }
      if (!isAbsolute(folder) || !(await stat(folder).catch(() => undefined))?.isDirectory()) {
        throw new CodedError('not-found', `No such folder: ${folder}.`, { hint: 'Choose an existing folder.' })
      }
      const file = join(folder, whole)
      if (!replace && (await stat(file).catch(() => undefined)) !== undefined) {
        throw new CodedError('usage', `${basename(file)} already exists.`, {
          hint: 'Choose another name, or replace it.',
        })
      }
      await reader.ledger(session) // Fails here, before the job starts, if the session can't be exported.
      return jobs.start('package', basename(file), 'messages', async (progress, signal) => {
        const unfinished = listUnfinishedFiles(options.dataDir)
        const done: PackageDone = await exportPackage(reader, session, file, options.version, {
          signal,
          file: { replace, onTemporary: (path) => unfinished.add(path) },
          onProgress: (part, messages) => progress({ done: part, count: messages }),
        }).finally(() => unfinished.done())
        progress({ bytes: done.bytes })
        return { text: done.file, result: done }
      })
    },
    applyRules,
    close: () => undo(),
  }
}

const count = (n: number): string => countText(n, 'session was', 'sessions were')

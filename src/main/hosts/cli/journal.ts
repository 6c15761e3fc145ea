/** `tapedeck journal`: the review of a session, or of a time range of a source, as Markdown. */
import { join, resolve } from 'node:path'
import { CodedError } from '../../../shared/base/errors.ts'
import { countText } from '../../../shared/base/count-text.ts'
import { readJournal } from '../../../shared/features/journal/document.ts'
import { reviewMarkdown } from '../../../shared/features/journal/markdown.ts'
import type { Note } from '../../../shared/features/journal/note.ts'
import { matchesSource } from '../../../shared/core/recording/session.ts'
import { defineCommand, UsageError, type Context } from '../../command-line/command.ts'
import { EXIT } from '../../command-line/exit.ts'
import { findSession, SESSION_HELP } from '../../command-line/sessions.ts'
import { isDevice, withDevice } from '../../command-line/device-sink.ts'
import { createSafeFile } from '../../base/file-sink.ts'
import { refuseTaken } from '../../command-line/out-file.ts'
import { INSTANT_HELP, instant, ZONE_OPTION, zoneOption } from '../../command-line/times.ts'
import { withReader } from '../../core/store/with-reader.ts'
import { historyProblem, readAlerts, readHistory, type Read } from '../../features/alerts/alert-format.ts'
import { alertFiles } from '../../features/alerts/files.ts'
import type { AlertsFile } from '../../features/alerts/port.ts'
import { journalFiles } from '../../features/journal/journal-files.ts'
import { reviewJson } from '../../features/journal/review-json.ts'
import { alertsOf, buildReview, type ReviewQuery } from '../../features/journal/review.ts'

export const journal = defineCommand({
  examples: [
    ['The latest session', ''],
    ['One session in a file', '--session 01k… --out monday.md'],
    ['The last hour of the session being recorded', '--from -1h'],
    ['As JSON, for scripts', '--json'],
  ],
  options: {
    session: { type: 'string', value: 'ID', help: `The session: ${SESSION_HELP} (default: latest)` },
    from: { type: 'string', value: 'T', help: `Start at: ${INSTANT_HELP} (default: the start of the session)` },
    to: { type: 'string', value: 'T', help: 'End before (default: the end of the session)' },
    zone: ZONE_OPTION,
    out: { type: 'string', value: 'FILE', help: 'Write to this file instead of standard output (-)' },
    force: { type: 'boolean', help: 'With --out: replace an existing file' },
  },
  async run(values, context) {
    const out = values.text('out')
    const file = out === undefined || out === '-' || out === '/dev/stdout' ? undefined : resolve(out)
    if (out !== undefined && file !== undefined && !(await isDevice(file))) await refuseTaken(out, values)
    const [from, to] = [instant(values, 'from', context.clock), instant(values, 'to', context.clock)]
    const zone = zoneOption(values) ?? 'UTC'
    const review = await withReader(values, context, async (reader) => {
      const row = findSession(await reader.sessions(true), values.text('session') ?? 'latest')
      const fromMs = from ?? row.startedMs
      // The last message may have the time of the end. A session that crashed has no end before the next session.
      const last = () => reader.findPosition({ session: row.session, ms: Number.MAX_SAFE_INTEGER })
      const endMs = row.live ? context.clock.wallMs() : (row.endedMs ?? (await last())?.ms ?? row.startedMs)
      const toMs = to ?? endMs + 1
      if (toMs <= fromMs) throw new UsageError('--to must be after --from')
      const { source, session } = row
      return buildReview(reader, {
        source,
        sessions: [session],
        fromMs,
        toMs,
        nowMs: context.clock.wallMs(),
        gaps: await reader.gaps({ source, sessions: [session], fromMs, toMs, skipCorrupt: true }),
        alerts: firedAlerts(source, fromMs, context),
        notes: notesOf(row.source, context),
      })
    })
    const pictures = resolve(context.dataDir, 'journal')
    const text = values.on('json')
      ? `${JSON.stringify(reviewJson(review))}\n`
      : reviewMarkdown(review, { time: (ms) => timeText(ms, zone), zone, picture: (file) => join(pictures, file) })
    if (file === undefined) context.out(text)
    else {
      await writeText(file, text, values.on('force'), context.signal)
      context.err(
        `${out}: ${countText(review.moves.length, 'move')}, ${countText(review.gapCount, 'gap')}, ${countText(review.alertCount, 'alert')}, ${countText(review.notes.length, 'note')}.\n`,
      )
    }
    return EXIT.ok
  },
})

/** Writes a text to a device, or to a file that gets its name once it is complete. */
async function writeText(path: string, text: string, replace: boolean, signal: AbortSignal): Promise<void> {
  if (await isDevice(path)) return withDevice(path, signal, (write) => write(Buffer.from(text)))
  const file = await createSafeFile(path, { replace })
  try {
    file.text(text)
    await file.finish()
    await file.commit()
  } finally {
    await file.discard()
  }
}

/** The events of alerts on a source. */
function firedAlerts(source: string, fromMs: number, { dataDir }: Context): ReviewQuery['alerts'] {
  const files = alertFiles(dataDir)
  /** Undefined: the file can't be read. */
  const read = <T>(name: AlertsFile, parse: (text: string) => Read<T>): Read<T> | undefined => {
    try {
      const text = files.load(name)
      return text === null ? { entries: [], corrupt: 0, newer: false } : parse(text)
    } catch {
      return undefined
    }
  }
  const history = read('history', readHistory)
  const alerts = read('alerts', readAlerts)?.entries ?? []
  return alertsOf(source, { events: history?.entries ?? [], problem: historyProblem(history), fromMs }, alerts)
}

/** The saved notes of a source. Throws `store-newer` and `store-damaged`. */
function notesOf(source: string, { dataDir }: Context): readonly Note[] {
  const text = journalFiles(join(dataDir, 'journal')).load()
  const found = text === null ? null : readJournal(text)
  if (found?.is === 'newer') throw new CodedError('store-newer', 'The journal was written by a newer Tapedeck.')
  if (found?.is === 'garbage') {
    throw new CodedError('store-damaged', 'The journal can’t be read.', {
      hint: 'Start the app: it sets the file aside.',
    })
  }
  return found === null ? [] : found.notes.filter((one) => matchesSource(one.source, source))
}

/** An instant as `2026-01-05 09:30:00`, in a time zone. */
function timeText(ms: number, zone: string): string {
  const parts = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
  return parts.format(ms)
}

/** `tapedeck sessions`: what was recorded. */
import type { SessionRow } from '../../shared/recording.ts'
import type { Command } from './command.ts'
import { EXIT } from './exit.ts'
import { withReader } from './with-reader.ts'

const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString())

/** A session as the command line's contract says. */
export function sessionJson(row: SessionRow): Record<string, unknown> {
  return {
    session: row.session,
    source: row.source,
    started: iso(row.startedMs),
    ended: iso(row.endedMs),
    clean: row.clean,
    feeds: row.feeds,
    messages: row.messages,
    bytes: row.bytes,
    gaps: row.gaps.map(({ feed, fromMs, toMs, cause }) => ({ feed, from: iso(fromMs), to: iso(toMs), cause })),
  }
}

export const sessions: Command = {
  name: 'sessions',
  summary: 'Lists recorded sessions, newest last.',
  examples: [['As JSON Lines, for scripts', '--json']],
  options: {},
  async run(values, context) {
    const rows = await withReader(values, context, (reader) => reader.sessions())
    const ordered = [...rows].sort((a, b) => a.startedMs - b.startedMs)
    for (const row of ordered) {
      context.out(`${values.on('json') ? JSON.stringify(sessionJson(row)) : sentence(row)}\n`)
    }
    if (ordered.length === 0) context.err('No session was recorded yet.\n')
    return EXIT.ok
  },
}

function sentence(row: SessionRow): string {
  const end = row.live
    ? 'recording now'
    : row.clean
      ? `to ${iso(row.endedMs)}`
      : `ended in a crash, to ${iso(row.endedMs) ?? 'an unknown time'}`
  const feeds = row.feeds.map(({ feed, received }) => `${feed} ${received}`).join(', ')
  return `${row.session}  ${row.source}  ${iso(row.startedMs)} ${end}  ${row.messages} messages  ${row.gaps.length} gaps  ${feeds}`
}

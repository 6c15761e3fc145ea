/** `tapedeck sessions`: lists sessions, labels one, or saves one as a file. */
import { jsonLine } from '../../base/json-schema.ts'
import { listUnfinishedFiles } from '../../core/jobs/unfinished-files.ts'
import { countText } from '../../../shared/base/count-text.ts'
import { CodedError } from '../../../shared/base/errors.ts'
import { countGaps, isTeamKey, type SessionRow } from '../../../shared/core/recording/session.ts'
import type { SessionId } from '../../../shared/base/units.ts'
import { exportPackage } from './pack.ts'
import { releaseHold } from '../../core/store/library/holds.ts'
import { aligned } from '../../command-line/aligned.ts'
import { defineCommand, UsageError, type Context, type Values } from '../../command-line/command.ts'
import { EXIT } from '../../command-line/exit.ts'
import { refuseTaken } from '../../command-line/out-file.ts'
import { createProgressLine } from '../../command-line/progress-line.ts'
import { gapJson, sessionJson } from '../../core/recording/session-json.ts'
import { findSession, SESSION_HELP } from '../../command-line/sessions.ts'
import { storePath } from '../../core/store/store-path.ts'
import { openCommandWriter, withReader } from '../../core/store/with-reader.ts'
import { isoOrNull } from '../../../shared/base/iso-time.ts'

const LABELS = ['name', 'notes', 'tag', 'pin', 'unpin', 'bin', 'restore'] as const

export const sessions = defineCommand({
  examples: [
    ['As JSON Lines, for scripts', '--json'],
    ['One session as a file for another Tapedeck', '--session 01k… --out monday.tapedeck'],
    ['Every gap with its cause and length', '--gaps'],
    ['Name, tag and pin a session', '--session 01k… --name "CPI day" --tag macro --pin'],
  ],
  options: {
    session: { type: 'string', value: 'ID', help: `Only this session: ${SESSION_HELP}` },
    gaps: { type: 'boolean', help: 'List the gaps of the sessions instead, one per line' },
    out: { type: 'string', value: 'FILE', help: 'Verify the session and save it as a .tapedeck file' },
    force: { type: 'boolean', help: 'With --out: replace an existing file' },
    name: { type: 'string', value: 'TEXT', help: 'Name the session' },
    notes: { type: 'string', value: 'TEXT', help: 'Set the notes of the session' },
    tag: { type: 'string', multiple: true, value: 'TAG', help: 'Replace the tags of the session; repeatable' },
    pin: { type: 'boolean', help: 'Exempt the session from the retention rules' },
    unpin: { type: 'boolean', help: 'Apply the retention rules to the session again' },
    bin: { type: 'boolean', help: 'Move the session to the bin' },
    restore: { type: 'boolean', help: 'Restore the session from the bin' },
    release: { type: 'boolean', help: 'Let it be erased although a team’s history doesn’t have all of it' },
  },
  async run(values, context) {
    const named = values.text('session')
    const changes = values.on('release') || isLabeled(values)
    if (named === undefined && (changes || values.text('out') !== undefined)) {
      throw new UsageError('choose the session with --session ID')
    }
    if (values.on('pin') && values.on('unpin')) throw new UsageError('--pin and --unpin can’t be combined')
    if (values.on('bin') && values.on('restore')) throw new UsageError('--bin and --restore can’t be combined')
    if (values.text('out') === '-') throw new UsageError('--out needs the name of a file: a session can’t be piped')
    if (values.on('gaps') && values.text('out') !== undefined) {
      throw new UsageError('--gaps and --out can’t be combined')
    }
    const found =
      named === undefined
        ? undefined
        : findSession(await withReader(values, context, (reader) => reader.sessions(true)), named)
    const one = found?.session
    if (one !== undefined && changes) await change(one, values, context)
    const out = values.text('out')
    if (found?.endedMs === null && isTeamKey(found.source) && out !== undefined) {
      throw new CodedError('not-allowed', `The copy of session ${found.session} isn’t complete.`, {
        hint: 'Start Tapedeck and let it follow the team until the session has ended.',
      })
    }
    if (found?.endedMs === null && !found.live && out !== undefined) {
      throw new CodedError('not-allowed', `Session ${found.session} was cut off, and its end isn’t recovered yet.`, {
        hint: 'The next session recorded into this store does that. Save it then.',
      })
    }
    if (one !== undefined && out !== undefined) return pack(one, out, values, context)
    const rows = await withReader(values, context, (reader) => reader.sessions())
    const ordered = rows
      .filter((row) => one === undefined || row.session === one)
      .toSorted((a, b) => a.startedMs - b.startedMs)
    if (values.on('gaps')) {
      printGaps(ordered, values.on('json'), context)
      return EXIT.ok
    }
    if (values.on('json')) for (const row of ordered) context.out(`${JSON.stringify(sessionJson(row))}\n`)
    else if (ordered.length > 0) context.out(aligned([SESSION_HEADS, ...ordered.map(cells)], [4, 5]))
    if (ordered.length === 0) context.err('No sessions recorded yet.\n')
    const corrupt = ordered.filter(({ isCorrupt }) => isCorrupt).length
    if (corrupt > 0 && !values.on('json'))
      context.err(
        `${countText(corrupt, 'session is', 'sessions are')} corrupt: \`tapedeck verify\` says what is affected.\n`,
      )
    return EXIT.ok
  },
})

function printGaps(rows: readonly SessionRow[], json: boolean, context: Context): void {
  const gaps = rows.flatMap((row) => row.gaps.toSorted((a, b) => a.fromSeq - b.fromSeq))
  if (json) {
    for (const gap of gaps) context.out(`${JSON.stringify(gapJson(gap))}\n`)
    return
  }
  const real = countGaps(gaps)
  const lines = gaps.map(({ session, feed, cause, symbols, fromMs, toMs }) => [
    session,
    new Date(fromMs).toISOString(),
    toMs === null ? 'still open' : new Date(toMs).toISOString(),
    toMs === null ? '-' : ((toMs - fromMs) / 1000).toFixed(3),
    feed,
    cause,
    symbols.length === 0 ? 'all symbols' : symbols.join(','),
  ])
  if (lines.length > 0) context.out(aligned([GAP_HEADS, ...lines]))
  context.err(`${countText(real, 'gap')}, plus ${gaps.length - real} at the edges of sessions.\n`)
}

const GAP_HEADS = ['session', 'from', 'to', 'seconds', 'feed', 'cause', 'symbols'] as const

const isLabeled = (values: Values): boolean =>
  LABELS.some((name) => values.on(name) || values.texts(name).length > 0 || Boolean(values.text(name)))

/** Labels a session, moves it to or from the bin, or releases it. The store must not be open for recording. */
async function change(session: SessionId, values: Values, context: Context): Promise<void> {
  const writer = await openCommandWriter(values, context)
  try {
    if (values.on('release')) releaseHold(storePath(values, context), session)
    if (!isLabeled(values)) return
    const tags = values.texts('tag')
    const pinned = values.on('pin') ? true : values.on('unpin') ? false : undefined
    const patch = { name: values.text('name'), notes: values.text('notes'), pinned }
    const binnedMs = values.on('bin') ? context.clock.wallMs() : values.on('restore') ? null : undefined
    await writer.library.label([{ session, patch: tags.length === 0 ? patch : { ...patch, tags }, binnedMs }])
  } finally {
    await writer.close()
  }
}

async function pack(one: SessionId, out: string, values: Values, context: Context): Promise<number> {
  await refuseTaken(out, values)
  const line = createProgressLine(context, !values.on('json'))
  const unfinished = listUnfinishedFiles(context.dataDir)
  const done = await withReader(values, context, (reader) =>
    exportPackage(reader, one, out, context.version, {
      signal: context.signal,
      file: { replace: values.on('force'), onTemporary: (path) => unfinished.add(path) },
      onProgress: (part) => line.draw(Math.floor(part * 100), 100, 'saving the session', '%'),
    }),
  ).finally(() => {
    line.clear()
    unfinished.done()
  })
  context.out(
    values.on('json')
      ? jsonLine('session-file', done)
      : `${done.file}: ${countText(done.messages, 'message')}, ${countText(done.bytes, 'byte')}, SHA-256 ${done.sha256}\n`,
  )
  return EXIT.ok
}

const SESSION_HEADS = ['session', 'source', 'from', 'to', 'messages', 'gaps', 'feeds', 'labels'] as const

/** A session as a line of the list. */
function cells(row: SessionRow): readonly string[] {
  const end = row.live
    ? 'recording now'
    : row.endedMs === null && isTeamKey(row.source)
      ? 'not complete'
      : row.clean
        ? (isoOrNull(row.endedMs) ?? '-')
        : `cut off, ${isoOrNull(row.endedMs) ?? 'unknown time'}`
  const labels = [
    row.name && `"${row.name}"`,
    ...row.tags.map((tag) => `#${tag}`),
    row.pinned && 'pinned',
    row.isCorrupt && 'corrupt',
    row.binnedMs !== null && 'in the bin',
  ]
  return [
    row.session,
    row.source,
    new Date(row.startedMs).toISOString(),
    end,
    String(row.messages),
    String(countGaps(row.gaps)),
    row.feeds.map(({ feed, received }) => `${feed} ${received}`).join(', '),
    labels.filter(Boolean).join(' '),
  ]
}

/** Columns, sorting and filtering of the session list. */
import type { SessionRow } from '../../../shared/core/recording/session.ts'
import type { RecorderState } from '../../../shared/core/status/status.ts'
import { t } from '../../../shared/base/text.ts'
import { sourceName } from '../../core/account/source-labels.ts'

const SESSION_COLUMNS = [
  'started',
  'name',
  'length',
  'messages',
  'size',
  'gaps',
  'state',
  'symbols',
  'feeds',
  'source',
  'ended',
] as const
export type SessionColumn = (typeof SESSION_COLUMNS)[number]

export interface ColumnTexts {
  readonly title: string
  readonly long: string
  /** Width at text scale 1, px. */
  readonly width: number
  readonly numeric: boolean
}

export const COLUMN_WORDS: Readonly<Record<SessionColumn, ColumnTexts>> = {
  started: { title: t('Started'), long: t('Session start'), width: 156, numeric: false },
  name: { title: t('Name'), long: t('Name and tags'), width: 120, numeric: false },
  length: { title: t('Length'), long: t('From start to end'), width: 84, numeric: true },
  messages: { title: t('Messages'), long: t('Messages stored'), width: 88, numeric: true },
  size: { title: t('Size'), long: t('Size in the store'), width: 76, numeric: true },
  gaps: {
    title: t('Gaps'),
    long: t('Interruptions, without those while feeds connected or the session ended'),
    width: 60,
    numeric: true,
  },
  state: {
    title: t('State'),
    long: t('How it ended, and whether it is known to be corrupt'),
    width: 104,
    numeric: false,
  },
  symbols: { title: t('Symbols'), long: t('Symbols with messages'), width: 68, numeric: true },
  feeds: { title: t('Feeds'), long: t('Feeds with messages'), width: 60, numeric: true },
  source: { title: t('Source'), long: t('Where the data came from'), width: 150, numeric: false },
  ended: { title: t('Ended'), long: t('Session end'), width: 156, numeric: false },
}
/** Columns get space in this order until the width runs out. */
const BY_IMPORTANCE: readonly SessionColumn[] = [
  'started',
  'name',
  'messages',
  'gaps',
  'state',
  'length',
  'size',
  'symbols',
  'feeds',
  'source',
  'ended',
]

/** Columns that fit into `width` px at text scale 1, in table order. */
export function fittingSessionColumns(width: number): readonly SessionColumn[] {
  let left = width - 8
  const shown = new Set<SessionColumn>()
  for (const column of BY_IMPORTANCE) {
    if (COLUMN_WORDS[column].width > left) break
    left -= COLUMN_WORDS[column].width
    shown.add(column)
  }
  return SESSION_COLUMNS.filter((column) => shown.has(column))
}

export interface SessionSort {
  readonly column: SessionColumn
  readonly descending: boolean
}

/** Number of gaps without the ordinary ones while feeds connected or the session ended. */
export const realGaps = (row: SessionRow): number => row.gapCount - row.edges

export type SessionState =
  | 'recording'
  | 'interrupted'
  | 'paused'
  | 'corrupt'
  | 'clean'
  | 'crashed'
  | 'imported'
  | 'sample'

/** Why a session is listed as corrupt, and what to do. */
export const CORRUPT_TEXT = t('Some of what is stored is corrupt. Verify the session to see what is affected.')

/** The state of a session; of the open one, by what its recorder does. */
export function stateOf(row: SessionRow, recorder?: RecorderState): SessionState {
  const { live, clean, imported, source, isCorrupt } = row
  if (live) return recorder?.is === 'broken' ? 'interrupted' : recorder?.is === 'paused' ? 'paused' : 'recording'
  if (isCorrupt) return 'corrupt'
  if (!clean) return 'crashed'
  // The sample is the only imported session with the demo source.
  if (imported) return source === 'demo' ? 'sample' : 'imported'
  return 'clean'
}
export const STATE_WORDS: Readonly<Record<SessionState, string>> = {
  recording: t('Recording'),
  interrupted: t('Interrupted'),
  paused: t('Paused'),
  corrupt: t('Corrupt'),
  clean: t('Closed'),
  crashed: t('Cut off'),
  imported: t('Imported'),
  sample: t('Demo sample'),
}

function valueOf(row: SessionRow, column: SessionColumn, nowMs: number): number | string {
  switch (column) {
    case 'started':
      return row.startedMs
    case 'ended':
      return row.endedMs ?? Infinity
    case 'length':
      return (row.endedMs ?? nowMs) - row.startedMs
    case 'name':
      return row.name.toLowerCase()
    case 'messages':
      return row.messages
    case 'size':
      return row.bytes
    case 'gaps':
      return realGaps(row)
    case 'state':
      return stateOf(row)
    case 'symbols':
      return row.symbols
    case 'feeds':
      return row.feeds.length
    case 'source':
      return row.source
  }
}

/** Sorts by a column; ties newest first. Empty names are always last. */
export function sortSessions(rows: readonly SessionRow[], sort: SessionSort, nowMs: number): SessionRow[] {
  const turn = sort.descending ? -1 : 1
  return rows.toSorted((a, b) => {
    const x = valueOf(a, sort.column, nowMs)
    const y = valueOf(b, sort.column, nowMs)
    if (x === y) return b.startedMs - a.startedMs
    if (x === '' || y === '') return x === '' ? 1 : -1
    return (x < y ? -1 : 1) * turn
  })
}

/**
 * Sessions that contain every typed word in their name, notes, tags, source, feeds, state or id. `#word` matches
 * tags that start with it.
 */
export function filterSessions(rows: readonly SessionRow[], typed: string): readonly SessionRow[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return rows
  return rows.filter((row) => {
    const text = [
      row.name,
      row.notes,
      row.tags.join(' '),
      row.source,
      sourceName(row.source),
      row.feeds.map(({ feed }) => feed).join(' '),
      STATE_WORDS[stateOf(row)],
      row.pinned ? 'pinned' : '',
      row.session,
    ]
      .join('\n')
      .toLowerCase()
    return words.every((word) =>
      word.length > 1 && word.startsWith('#')
        ? row.tags.some((tag) => tag.toLowerCase().startsWith(word.slice(1)))
        : text.includes(word),
    )
  })
}

/** Parses comma-separated tags, without duplicates. */
export const tagsOf = (typed: string): string[] => [
  ...new Set(
    typed
      .split(',')
      .map((tag) => tag.trim().replace(/^#/, '').slice(0, 40))
      .filter(Boolean),
  ),
]

/** Default file name of a saved session. */
export function packageName(row: SessionRow): string {
  const stamp = new Date(row.startedMs).toISOString().slice(0, 16).replace(/[:T]/g, '-')
  const name = row.name.replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-+|-+$/g, '')
  return `${name === '' ? 'session' : name.slice(0, 60)}-${stamp}.tapedeck`
}

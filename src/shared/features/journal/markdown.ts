/** A review as Markdown, for the window and the command line. Pure. */
import { countText } from '../../base/count-text.ts'
import { t } from '../../base/text.ts'
import { parseInstrument, type InstrumentId } from '../../base/units.ts'
import type { Note } from './note.ts'
import {
  BURST_BARS,
  corruptText,
  lengthText,
  moveDecimals,
  noGapsText,
  outsideText,
  type Move,
  type Review,
} from './review.ts'

export interface ReviewFormat {
  /** An instant, UTC ms, with its day. */
  readonly time: (ms: number) => string
  /** The name of the time zone of `time`. */
  readonly zone: string
  /** An instrument's symbol as the service writes it; without it, the symbols of the moves, else its key. */
  readonly symbol?: (instrument: InstrumentId) => string
  /** Where a note's picture is, as a path or address; null leaves pictures out. */
  readonly picture: ((file: string) => string) | null
}

/** A review as Markdown with one heading a section. */
export function reviewMarkdown(review: Review, format: ReviewFormat): string {
  const sections = [
    `# Review, ${format.time(review.fromMs)} to ${format.time(review.toMs)} (${format.zone})`,
    summaryText(review),
    `## Largest moves\n\n${movesText(review, format)}`,
    `## Gaps\n\n${gapsText(review, format)}`,
    `## Alerts\n\n${alertsText(review, format)}`,
    `## Notes\n\n${notesText(review, format)}`,
  ]
  return `${sections.join('\n\n')}\n`
}

const GROUPED = new Intl.NumberFormat('en-US')

/** The symbol of an instrument as the service writes it, as far as it is known. */
function symbolOf(instrument: InstrumentId, { moves }: Review, { symbol }: ReviewFormat): string {
  const moved = moves.find((one) => one.instrument === instrument)?.symbol
  return moved ?? symbol?.(instrument) ?? parseInstrument(instrument)?.key ?? instrument
}

const summaryText = (review: Review): string =>
  [
    `- Source: ${review.source}`,
    `- ${countText(review.sessions.length, 'session')}, ${review.messagesEstimated ? 'about ' : ''}${GROUPED.format(review.messages)} stored ${review.messages === 1 ? 'message' : 'messages'}, ${countText(review.instruments, 'instrument')}`,
    `- ${gapsSummary(review)}`,
    `- ${countText(review.alertCount, 'alert')}, ${countText(review.notes.length, 'note')}`,
  ].join('\n')

function gapsSummary({ sessions, gapCount, gapMs, outsideMs }: Review): string {
  if (sessions.length === 0 && gapCount === 0) return 'No session of this review covers this time'
  const gaps =
    gapCount === 0
      ? 'No gaps, apart from connecting and closing'
      : `${countText(gapCount, 'gap')}, ${lengthText(gapMs)} in total`
  return outsideMs === 0 ? gaps : `${gaps}; ${lengthText(outsideMs)} in no session`
}

function movesText(review: Review, { time }: ReviewFormat): string {
  const { moves, barMs, instruments } = review
  const corrupt = corruptText(review, time)
  if (moves.length === 0) return corrupt ?? 'No prices were recorded.'
  const burst = `Largest in ${lengthText(barMs * BURST_BARS)}`
  const rows = moves.map((one) => [
    one.symbol + (one.of === 'mid' ? ' (mid)' : '') + (one.incomplete ? ' △' : ''),
    percent(one.change),
    `${price(one, one.first)} → ${price(one, one.last)}`,
    `${price(one, one.high)} at ${time(one.highMs)}`,
    `${price(one, one.low)} at ${time(one.lowMs)}`,
    `${percent(one.burst)} from ${time(one.burstMs)}`,
  ])
  const more =
    instruments > moves.length ? `\n\n${countText(moves.length, 'instrument')} of ${instruments} are shown.` : ''
  const marks = [
    barTimesText(barMs),
    ...(moves.some((one) => one.of === 'mid') ? ['(mid) Midpoint of bid and ask: no trades were recorded.'] : []),
    ...(moves.some((one) => one.incomplete) ? [incompleteText()] : []),
    ...(corrupt === null ? [] : [corrupt]),
  ].map((mark) => `\n\n${mark}`)
  return table(['Symbol', 'Change', 'First → last', 'High', 'Low', burst], rows) + more + marks.join('')
}

function gapsText(review: Review, { time }: ReviewFormat): string {
  const { gaps, gapCount } = review
  const outside = outsideText(review)
  const end = outside === null ? '' : `\n\n${outside}`
  if (gapCount === 0) return noGapsText(review) + end
  const rows = gaps.map(({ feed, cause, symbols, fromMs, toMs }) => [
    time(fromMs),
    toMs === null ? 'still open' : lengthText(toMs - fromMs),
    feed,
    cause,
    symbols.length === 0
      ? 'all symbols'
      : symbols.length > 6
        ? `${symbols.slice(0, 6).join(', ')} …`
        : symbols.join(', '),
  ])
  const more = gapCount > gaps.length ? `\n\nThe longest ${gaps.length} of ${gapCount} are shown.` : ''
  return table(['From', 'Length', 'Feed', 'Cause', 'Symbols'], rows) + more + end
}

function alertsText(review: Review, format: ReviewFormat): string {
  const { alerts, alertCount, alertsProblem } = review
  const problem = alertsProblem === null ? '' : `${alertsProblem} Alerts may be missing here.`
  if (alertCount === 0) return problem === '' ? 'None fired.' : problem
  const more = alertCount > alerts.length ? `\n\nThe last ${alerts.length} of ${alertCount} are shown.` : ''
  const rows = table(
    ['Time', 'Symbol', 'Alert', 'Value', 'Note'],
    alerts.map((one) => [
      format.time(one.atMs),
      symbolOf(one.instrument, review, format),
      one.text,
      one.value,
      one.note,
    ]),
  )
  return rows + more + (problem === '' ? '' : `\n\n${problem}`)
}

function notesText(review: Review, format: ReviewFormat): string {
  const { notes } = review
  return notes.length === 0 ? 'None.' : notes.map((note) => noteText(note, review, format)).join('\n\n')
}

/** A note: its time and symbol as a heading, its text as written, tags and pictures below. */
function noteText(note: Note, review: Review, format: ReviewFormat): string {
  const { fromMs, toMs, instrument, text, tags, pictures } = note
  const symbol = instrument === null ? '' : `, ${symbolOf(instrument, review, format)}`
  const when = toMs === null ? format.time(fromMs) : `${format.time(fromMs)} to ${format.time(toMs)}`
  const { picture } = format
  return [
    `### ${when}${symbol}`,
    ...(text === '' ? [] : [text]),
    ...(tags.length === 0 ? [] : [tags.map((tag) => `#${tag}`).join(' ')]),
    ...(picture === null ? [] : pictures.map((file) => `![Screenshot](${picture(file)})`)),
  ].join('\n\n')
}

const cell = (text: string): string => text.replaceAll('|', '\\|').replace(/\s*\n\s*/g, ' ')
const table = (heads: readonly string[], rows: readonly (readonly string[])[]): string =>
  [heads, heads.map(() => '---'), ...rows].map((row) => `| ${row.map(cell).join(' | ')} |`).join('\n')
/** Says what the times of highs, lows and bursts are. */
export const barTimesText = (barMs: number): string =>
  t('Times of highs, lows and moves are the starts of bars of {length}.', { length: lengthText(barMs) })
/** Says what △ means: also the edges of a session, which are no gaps. */
export const incompleteText = (): string =>
  t('△ Part of the time wasn’t received: a gap, or the time before or after a session within its first or last bar.')

const percent = (share: number): string =>
  `${share > 0 ? '+' : ''}${(share * 100).toFixed(2)} %`.replace(/^\+(0\.00)/, '$1')
const price = (move: Move, value: number): string => {
  const decimals = moveDecimals(move)
  return value.toLocaleString('en-US', { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
}

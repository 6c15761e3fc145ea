/** The form of the export dialog and the request built from it. Pure. */
import {
  exportConflict,
  fileNameOf,
  nameConflict,
  type ExportFormat,
  type ExportKind,
  type ExportRequest,
  type ExportSchema,
  type Separator,
  type Split,
} from '../../../shared/features/export/export.ts'
import { msOf, serviceBarFeed, type BarSource, type Interval } from '../../../shared/core/market/market.ts'
import { matchesSource, readTeamKey, teamKey, type SessionRow } from '../../../shared/core/recording/session.ts'
import type { ExportPreset } from '../../../shared/features/export/settings.ts'
import { feedAsset, type AssetClass, type FeedId } from '../../../shared/base/units.ts'
import { t } from '../../../shared/base/text.ts'
import { MARKET_FEED } from '../../core/market/feed-labels.ts'
import type { ExportPrefill } from '../../core/window/transfers.svelte.ts'
import { timeText } from '../../text/zone-time.ts'

/** Values of the export dialog. Times are UTC ms; null means unbounded. */
export interface ExportForm {
  readonly what: ExportKind
  readonly feed: FeedId
  /** Separated by commas or spaces; '' means all symbols. */
  readonly symbols: string
  /** `source:KEY`, `session:ID`, or `few` for the sessions in `few`. */
  readonly scope: string
  readonly few: readonly string[]
  readonly fromMs: number | null
  readonly toMs: number | null
  readonly of: BarSource
  readonly interval: Interval
  readonly format: ExportFormat
  readonly schema: ExportSchema
  readonly raw: boolean
  /** Bars of schema 1: adds the feed, the end time and the VWAP. */
  readonly extended: boolean
  readonly bom: boolean
  readonly separator: Separator
  /** CSV of schema 2: times and numbers as a spreadsheet reads them, in the window's zone. */
  readonly sheet: boolean
  readonly split: Split
}

/** The sources a market's bars can be built from. */
export const barSources = (asset: AssetClass): readonly BarSource[] =>
  asset === 'forex' ? ['mid', 'bid', 'ask', 'service'] : ['trade', 'mid', 'bid', 'ask', 'service']

/** The sources that an export can cover, each team with several shards first. */
export function exportSources(sessions: readonly SessionRow[]): readonly string[] {
  const sources = [...new Set(sessions.map((row) => row.source))]
  const shards = Map.groupBy(sources, (source) => readTeamKey(source)?.team)
  const teams = [...shards].flatMap(([team, of]) => (team !== undefined && of.length > 1 ? [teamKey(team)] : []))
  return [...teams, ...sources]
}

/** The form's initial values. */
export function openForm(prefill: ExportPrefill, sessions: readonly SessionRow[], asset: AssetClass): ExportForm {
  const feed = prefill.feed ?? MARKET_FEED[asset]
  // What is being recorded is what the window shows; a session of the demo market from before a team was joined isn't.
  const newest = sessions.toSorted(
    (a, b) => Number(a.endedMs !== null) - Number(b.endedMs !== null) || b.startedMs - a.startedMs,
  )
  const newestSource = (newest.find((row) => !row.source.startsWith('import:')) ?? newest[0])?.source ?? 'demo'
  const source = exportSources(sessions).find((one) => matchesSource(newestSource, one)) ?? newestSource
  return {
    what: prefill.what ?? 'ticks',
    feed,
    symbols: prefill.symbols?.join(', ') ?? '',
    scope: scopeOf(prefill.sessions ?? []) ?? `source:${source}`,
    few: prefill.sessions ?? [],
    fromMs: prefill.fromMs ?? null,
    toMs: prefill.toMs ?? null,
    of: prefill.of ?? (feedAsset(feed) === 'forex' ? 'mid' : 'trade'),
    interval: prefill.interval ?? '1m',
    format: 'csv',
    schema: 2,
    raw: false,
    extended: false,
    bom: false,
    separator: ',',
    sheet: false,
    split: 'none',
  }
}

function scopeOf(sessions: readonly string[]): string | null {
  const [first, ...others] = sessions
  return first === undefined ? null : others.length === 0 ? `session:${first}` : 'few'
}

/** Parses typed symbols, without duplicates. */
export const symbolsOf = (text: string): readonly string[] => [
  ...new Set(
    text
      .split(/[\s,;]+/)
      .map((one) => one.trim())
      .filter((one) => one !== ''),
  ),
]

/** The sessions a form names; null for all sessions of a source. */
function wantedSessions({ scope, few }: ExportForm): readonly string[] | null {
  if (scope === 'few') return few
  return scope.startsWith('session:') ? [scope.slice('session:'.length)] : null
}

/** The feed to export. For service bars, the bar feed of the chosen market, whichever tick feed is selected. */
function feedOf({ what, of, feed, interval }: ExportForm): FeedId {
  const bars = what === 'bars' && of === 'service' ? serviceBarFeed(feedAsset(feed), msOf(interval)) : undefined
  return bars ?? feed
}

/** Builds the request. Options that don't apply are reset. `zone`: of a spreadsheet's times. */
export function requestOf(form: ExportForm, sessions: readonly SessionRow[], zone = 'UTC'): ExportRequest {
  const { what, fromMs, toMs, interval, format, split } = form
  const wanted = wantedSessions(form)
  const csv = format === 'csv'
  return {
    what,
    feed: feedOf(form),
    symbols: symbolsOf(form.symbols),
    // In recording order, no matter in which order they were chosen.
    sessions: sessions
      .filter((row) => wanted?.includes(row.session))
      .toSorted((a, b) => a.startedMs - b.startedMs)
      .map((row) => row.session),
    source: form.scope.startsWith('source:') ? form.scope.slice('source:'.length) : null,
    fromMs,
    toMs,
    of: what === 'bars' ? form.of : null,
    interval,
    format,
    schema: form.schema,
    raw: what === 'ticks' && !(format === 'jsonl' && form.schema === 1) && form.raw,
    extended: what === 'bars' && form.schema === 1 && form.extended,
    bom: csv && form.bom,
    separator: csv ? form.separator : ',',
    sheet: csv && form.schema === 2 && form.sheet ? { zone } : undefined,
    split,
  }
}

/** Why a form can't be exported, as a sentence; null if it can. */
export function formProblem(form: ExportForm, request: ExportRequest, sessions: readonly SessionRow[]): string | null {
  const wanted = wantedSessions(form)
  if (wanted?.length === 0) return t('Choose at least one session.')
  if (wanted !== null && request.sessions.length < wanted.length) {
    return wanted.length === 1 ? t('That session no longer exists.') : t('Some of these sessions no longer exist.')
  }
  const of = new Set(sessions.filter((row) => wanted?.includes(row.session)).map((row) => row.source))
  if (of.size > 1) return t('These sessions come from different sources. Export one source at a time.')
  if (request.symbols.some((symbol) => symbol.length > 64)) return t('One of the symbols is too long.')
  return exportConflict(request)
}

/** Default file name without extension: symbols, content and UTC day. */
export function nameOf(form: ExportForm, nowMs: number): string {
  const symbols = symbolsOf(form.symbols)
  const of = symbols.length === 0 ? 'all' : symbols.length <= 3 ? symbols.join('_') : `${symbols.length}-symbols`
  const what = form.what === 'bars' ? `bars-${form.interval}-${form.of}` : form.feed.replace('/', '-')
  const day = new Date(form.fromMs ?? nowMs).toISOString().slice(0, 10)
  return `${of}-${what}-${day}`.replace(/[^A-Za-z0-9._-]/g, '_').slice(0, 120)
}

/** The suffix shown after the typed name. Together they are the file name, or its pattern for a split export. */
export function endingOf(name: string, { format, split }: Pick<ExportForm, 'format' | 'split'>): string {
  const file = fileNameOf(name, format)
  if (split === 'none') return file.slice(name.length)
  return `${split === 'symbol' ? t('.SYMBOL') : t('.DAY')}${file.slice(file.lastIndexOf('.'))}`
}

/** Why the typed file name is invalid, as a sentence; null if it is valid. */
export const nameProblem = (name: string, request: ExportRequest): string | null =>
  name.trim() === '' ? t('Type a name for the file.') : nameConflict(fileNameOf(name, request.format), request)

/** An instant as editable text with milliseconds; '' if unbounded. */
export function instantText(ms: number | null, zone: string): string {
  if (ms === null) return ''
  const [, millis = '000'] = timeText(ms, zone, 'millis').split('.')
  return `${timeText(ms, zone, 'stamp')}.${millis}`
}

/** A preset from a form, without range, sessions and folder. Options that don't apply are reset. */
export function presetOf(name: string, form: ExportForm): ExportPreset {
  const { what, feed, of, interval, format, schema, raw, extended, bom, separator, split, ...rest } = requestOf(
    form,
    [],
  )
  const [symbols, sheet] = [[...rest.symbols], rest.sheet !== undefined]
  return { name, what, feed, symbols, of, interval, format, schema, raw, extended, bom, separator, sheet, split }
}

export function withPreset(form: ExportForm, preset: ExportPreset): ExportForm {
  const feed = preset.feed ?? form.feed
  return {
    ...form,
    what: preset.what ?? form.what,
    feed,
    symbols: preset.symbols === undefined ? form.symbols : preset.symbols.join(', '),
    of: preset.of ?? (feedAsset(feed) === 'forex' && form.of === 'trade' ? 'mid' : form.of),
    interval: preset.interval ?? form.interval,
    format: preset.format ?? form.format,
    schema: preset.schema ?? 1,
    raw: preset.raw ?? form.raw,
    extended: preset.extended ?? form.extended,
    bom: preset.bom ?? form.bom,
    separator: preset.separator ?? form.separator,
    sheet: preset.sheet ?? false,
    split: preset.split ?? form.split,
  }
}

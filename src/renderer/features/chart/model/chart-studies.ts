/** A chart's list of indicators: adding, changing, and saving sets as templates. Pure. */
import {
  MAX_INDICATORS,
  STUDY_KINDS,
  type ChartIndicator,
  type ChartTemplate,
  type StudyKind,
} from '../../../../shared/features/chart/chart-settings.ts'
import { FIRST_FORMULA, formulaProblem } from '../../../../shared/core/market/formula/compiled.ts'
import type { Parameter } from '../../../../shared/core/market/indicators/row.ts'
import {
  INDICATORS,
  PROFILE_RANGES,
  VOLUME_PROFILE,
  parameterValues,
} from '../../../../shared/core/market/indicators/table.ts'
import { RESETS } from '../../../../shared/core/market/indicators/delta.ts'
import { t } from '../../../../shared/base/text.ts'
import { nextLineStyle, styleOfColor } from '../../../charts/model/line-style.ts'
import type { ChartStudy } from '../../../charts/model/chart.ts'
import { profileSettings } from '../../../charts/model/profile.ts'
import { studySpec } from '../../../charts/model/study-spec.ts'

export interface KindRow {
  readonly kind: StudyKind
  readonly title: string
  readonly short: string
  readonly parameters: readonly Parameter[]
  readonly outputs: readonly string[]
  readonly takesPrice: boolean
  /** The user can choose between a separate pane and the price pane. */
  readonly moves: boolean
}

/** The name of a formula without one: the title of its only line, as in `plot("Z", …)`; undefined if it has none. */
function plotTitle({ outputs: [title, ...more] }: Pick<KindRow, 'outputs'>): string | undefined {
  return more.length === 0 && title !== t('Value {number}', { number: 1 }) ? title : undefined
}

/** The description of an indicator on a chart. A formula has its own name, settings and lines. */
export function studyRow(one: Pick<ChartIndicator, 'kind' | 'formula'>): KindRow {
  const row = kindRow(one.kind)
  const spec = one.kind === 'formula' ? studySpec(one) : null
  if (spec === null) return row
  const short = one.formula?.name || (plotTitle(spec) ?? row.short)
  return { ...row, short, parameters: spec.parameters, outputs: spec.outputs }
}

/** The description of a kind, including the volume profile. */
function kindRow(kind: StudyKind): KindRow {
  if (kind === 'volume-profile') {
    const title = t(VOLUME_PROFILE.title)
    return { kind, ...VOLUME_PROFILE, title, outputs: [], takesPrice: false, moves: false }
  }
  if (kind === 'formula')
    return {
      kind,
      title: t('Custom formula'),
      short: t('Formula'),
      parameters: [],
      outputs: [],
      takesPrice: false,
      moves: true,
    }
  const { title, short, parameters, outputs, takesPrice } = INDICATORS[kind]
  return { kind, title: t(title), short, parameters, outputs, takesPrice, moves: true }
}

/**
 * The kinds whose title, short name or id contains every word of a text. The one with that name comes first ("EMA" is not
 * DEMA), then those that begin with the text; otherwise sorted by title.
 */
export function findKinds(text: string): readonly KindRow[] {
  const sought = text.trim().toLowerCase()
  const words = sought.split(/\s+/)
  const namesOf = ({ title, short, kind }: KindRow) => [title, short, kind].map((name) => name.toLowerCase())
  const place = (row: KindRow): number => {
    const names = namesOf(row)
    if (names.includes(sought)) return 0
    return names.some((name) => name.startsWith(sought)) ? 1 : 2
  }
  return STUDY_KINDS.map(kindRow)
    .filter((row) => words.every((word) => namesOf(row).join(' ').includes(word)))
    .toSorted((a, b) => place(a) - place(b) || a.title.localeCompare(b.title))
}

/** "SMA 20", "MACD 12 26 9", "SMA 20 hl2". */
export function studyTitle(one: ChartIndicator): string {
  const { kind, values, price } = one
  const row = studyRow(one)
  const usual = studySpec(one)?.usualPrice ?? 'close'
  const chosen = parameterValues(row, values)
  const parts = row.parameters.flatMap<string | number>(({ key, choices, value, isInstant }, i) => {
    if (kind === 'volume-profile' && key === 'range' && isParameterUsed(one, 'days'))
      return [t('{count} days', { count: profileSettings(values).days })]
    if (choices !== undefined) return chosen[i] === value ? [] : [t(choices[chosen[i]])]
    return kind === 'volume-profile' || isInstant ? [] : [chosen[i]]
  })
  return [row.short, ...parts, ...(row.takesPrice && price !== usual ? [t(price)] : [])].join(' ')
}

/** Adds an indicator with default settings, except for these values. Returns the same list if it is full. */
export function addStudy(
  list: readonly ChartIndicator[],
  kind: StudyKind,
  values: ChartIndicator['values'] = {},
): readonly ChartIndicator[] {
  if (list.length >= MAX_INDICATORS) return list
  const taken = new Set(list.map((one) => one.id))
  let n = 1
  while (taken.has(`${kind}-${n}`)) n++
  return [
    ...list,
    {
      id: `${kind}-${n}`,
      kind,
      values: { ...values },
      price: studySpec({ kind })?.usualPrice ?? 'close',
      colours: [],
      pane: 'auto',
      hidden: false,
      ...(kind === 'formula' ? { formula: { name: '', text: FIRST_FORMULA } } : {}),
    },
  ]
}

/** Shows these kinds, or hides them if all are shown. */
export function toggleStudies(list: readonly ChartIndicator[], kinds: readonly StudyKind[]): readonly ChartIndicator[] {
  const missing = kinds.filter((kind) => !list.some((one) => one.kind === kind))
  return missing.length === 0
    ? list.filter(({ kind }) => !kinds.includes(kind))
    : missing.reduce<readonly ChartIndicator[]>((shown, kind) => addStudy(shown, kind), list)
}

export const changeStudy = (
  list: readonly ChartIndicator[],
  id: string,
  patch: Partial<Omit<ChartIndicator, 'id' | 'kind'>>,
): readonly ChartIndicator[] => list.map((one) => (one.id === id ? { ...one, ...patch } : one))

export const removeStudy = (list: readonly ChartIndicator[], id: string): readonly ChartIndicator[] =>
  list.filter((one) => one.id !== id)

type Placed = Pick<ChartIndicator, 'kind' | 'values'>
/** The kinds that can begin at an anchor. */
export type AnchoredKind = 'anchored-vwap' | 'cvd' | 'volume-profile'

/** The key of the instant at which an indicator begins; null: it has no anchor, as it is set. */
export function anchorKey({ kind, values }: Placed): 'anchor' | 'from' | null {
  if (kind === 'anchored-vwap') return 'anchor'
  if (kind === 'cvd') return RESETS[parameterValues(INDICATORS.cvd, values)[0]] === 'anchor' ? 'anchor' : null
  return kind === 'volume-profile' && profileSettings(values).range === 'anchor' ? 'from' : null
}

/** Whether a parameter changes anything as the indicator is set: a profile of the visible range has no number of days. */
export const isParameterUsed = ({ kind, values }: Placed, key: string): boolean =>
  kind !== 'volume-profile' || key !== 'days' || profileSettings(values).range === 'days'

/** Why an indicator shows nothing before it has a place on the chart; null: it has one, or needs none. */
export function unplacedNote(one: Placed): { readonly brief: string; readonly text: string } | null {
  const key = anchorKey(one)
  if (key !== null && !((one.values[key] ?? 0) > 0))
    return {
      brief: t('no anchor'),
      text: t(
        'Nothing to show without an anchor. Right-click the bar where it begins, or set the anchor in its settings.',
      ),
    }
  const { range, fromMs, toMs } = profileSettings(one.values)
  if (one.kind !== 'volume-profile' || range !== 'marked' || toMs > fromMs) return null
  return {
    brief: t('no range'),
    text: t('Nothing to show without a range. Choose one with “Volume profile of a range…” in the chart’s menu.'),
  }
}

/** Says that a formula as last edited has an error, and what the chart shows in its place; null if it has none. */
export function formulaNote({
  formula,
}: Pick<ChartIndicator, 'formula'>): { readonly brief: string; readonly text: string } | null {
  if (formula === undefined) return null
  const problem = formulaProblem(formula.draft ?? formula.text)
  if (problem === null) return null
  return formulaProblem(formula.text) === null
    ? { brief: t('edit has an error'), text: t('{problem} The chart shows the formula before this edit.', { problem }) }
    : { brief: t('error in the formula'), text: problem }
}

/** Gives an indicator that needs an anchor and has none this one, UTC ms. */
export function anchoredAt<T extends Placed>(one: T, ms: number | null): T {
  const key = anchorKey(one)
  return key === null || ms === null || unplacedNote(one) === null
    ? one
    : { ...one, values: { ...one.values, [key]: ms } }
}

/**
 * Places an indicator from an instant, or over a span, UTC ms; `toMs` 0: from an instant. One that waits for its place
 * gets it; otherwise it is added.
 */
export function placeStudy(
  list: readonly ChartIndicator[],
  kind: AnchoredKind,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): readonly ChartIndicator[] {
  const places: Readonly<Record<AnchoredKind, ChartIndicator['values']>> = {
    'anchored-vwap': { anchor: fromMs },
    cvd: { reset: RESETS.indexOf('anchor'), anchor: fromMs },
    'volume-profile': { range: PROFILE_RANGES.indexOf(toMs > 0 ? 'marked' : 'anchor'), from: fromMs, to: toMs },
  }
  const values = places[kind]
  const waiting = list.find((one) => one.kind === kind && unplacedNote(one) !== null)
  return waiting === undefined
    ? addStudy(list, kind, values)
    : changeStudy(list, waiting.id, { values: { ...waiting.values, ...values } })
}

/** Whether an indicator has its own pane. */
function ownPane(one: ChartIndicator): boolean {
  const spec = studySpec(one)
  if (spec === null) return false
  return one.pane === 'auto' ? spec.place === 'own' : one.pane === 'own'
}

/**
 * The studies that the chart draws. Each line gets a color of its own while colors last; a hidden indicator keeps its
 * color reserved.
 */
export function studiesOf(list: readonly ChartIndicator[]): readonly ChartStudy[] {
  const onChart = new Set<number>()
  const panes = new Map<string, Set<number>>()
  const paneOf = (one: ChartIndicator): Set<number> => {
    const key = ownPane(one) ? one.id : ''
    const pane = panes.get(key) ?? new Set<number>()
    panes.set(key, pane)
    return pane
  }
  for (const one of list)
    for (const color of one.colours) {
      const style = styleOfColor(color)
      if (style === undefined) continue
      onChart.add(style)
      paneOf(one).add(style)
    }
  return list.flatMap((one) => {
    const inPane = paneOf(one)
    const bands = studySpec(one)?.drawn?.bands
    const palette: number[] = []
    for (const output of studyRow(one).outputs.keys()) {
      const chosen = styleOfColor(one.colours[output] ?? '')
      const style = chosen ?? (bands?.includes(output) ? palette[0] : nextLineStyle(onChart, inPane))
      onChart.add(style)
      inPane.add(style)
      palette.push(style)
    }
    const { id, kind, values, price, colours, formula } = one
    return one.hidden ? [] : [{ id, kind, values, price, formula, colours, palette, own: ownPane(one) }]
  })
}

/** Saves a template, replacing one with the same name. */
export function keepTemplate(
  templates: readonly ChartTemplate[],
  name: string,
  list: readonly ChartIndicator[],
): readonly ChartTemplate[] {
  return [...templates.filter((one) => one.name !== name), { name, indicators: [...list] }].toSorted((a, b) =>
    a.name.localeCompare(b.name),
  )
}

/** Where the sums of a chart's indicators begin. */
export interface SumsNeeded {
  /** At the start of the week. */
  readonly week: boolean
  /** Anchors, UTC ms. */
  readonly anchors: readonly number[]
}

export function sumsNeeded(list: readonly ChartIndicator[]): SumsNeeded {
  const resets = list.flatMap((one) => {
    if (one.hidden || (one.kind !== 'cvd' && one.kind !== 'session-vwap' && one.kind !== 'anchored-vwap')) return []
    const [reset] = parameterValues(INDICATORS[one.kind], one.values)
    const { anchor } = one.values
    return [{ reset: one.kind === 'anchored-vwap' ? 'anchor' : RESETS[reset], anchor }]
  })
  const anchors = resets.flatMap(({ reset, anchor }) => (reset === 'anchor' && anchor > 0 ? [anchor] : []))
  return {
    week: resets.some(({ reset }) => reset === 'week'),
    anchors,
  }
}

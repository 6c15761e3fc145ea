/** A chart's list of indicators: adding, changing, and saving sets as templates. Pure. */
import {
  MAX_INDICATORS,
  STUDY_KINDS,
  type ChartIndicator,
  type ChartTemplate,
  type StudyKind,
} from '../../../../shared/features/chart/chart-settings.ts'
import {
  INDICATORS,
  VOLUME_PROFILE,
  parameterValues,
  type Parameter,
} from '../../../../shared/core/market/indicators/table.ts'
import { t } from '../../../../shared/base/text.ts'
import { nextLineStyle, styleOfColor } from '../../../charts/model/line-style.ts'
import type { ChartStudy } from '../../../charts/model/chart.ts'

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

/** The description of a kind, including the volume profile. */
export function kindRow(kind: StudyKind): KindRow {
  if (kind === 'volume-profile') {
    const title = t(VOLUME_PROFILE.title)
    return { kind, ...VOLUME_PROFILE, title, outputs: [], takesPrice: false, moves: false }
  }
  const { title, short, parameters, outputs, takesPrice } = INDICATORS[kind]
  return { kind, title: t(title), short, parameters, outputs, takesPrice, moves: true }
}

/** The kinds whose title, short name or id contains every word of a text, sorted by title. */
export function findKinds(text: string): readonly KindRow[] {
  const words = text.trim().toLowerCase().split(/\s+/)
  return STUDY_KINDS.map(kindRow)
    .filter(({ title, short, kind }) => words.every((word) => `${title} ${short} ${kind}`.toLowerCase().includes(word)))
    .toSorted((a, b) => a.title.localeCompare(b.title))
}

/** "SMA 20", "MACD 12 26 9", "SMA 20 hl2". */
export function studyTitle({ kind, values, price }: ChartIndicator): string {
  const row = kindRow(kind)
  const usual = kind === 'volume-profile' ? 'close' : INDICATORS[kind].usualPrice
  const parts = kind === 'volume-profile' ? [] : parameterValues(row, values)
  return [row.short, ...parts, ...(row.takesPrice && price !== usual ? [t(price)] : [])].join(' ')
}

/** Adds an indicator with default settings. Returns the same list if it is full. */
export function addStudy(list: readonly ChartIndicator[], kind: StudyKind): readonly ChartIndicator[] {
  if (list.length >= MAX_INDICATORS) return list
  const taken = new Set(list.map((one) => one.id))
  let n = 1
  while (taken.has(`${kind}-${n}`)) n++
  return [
    ...list,
    {
      id: `${kind}-${n}`,
      kind,
      values: {},
      price: kind === 'volume-profile' ? 'close' : INDICATORS[kind].usualPrice,
      colours: [],
      pane: 'auto',
      hidden: false,
    },
  ]
}

export const changeStudy = (
  list: readonly ChartIndicator[],
  id: string,
  patch: Partial<Omit<ChartIndicator, 'id' | 'kind'>>,
): readonly ChartIndicator[] => list.map((one) => (one.id === id ? { ...one, ...patch } : one))

export const removeStudy = (list: readonly ChartIndicator[], id: string): readonly ChartIndicator[] =>
  list.filter((one) => one.id !== id)

/** Whether an indicator has its own pane. */
export function ownPane({ kind, pane }: ChartIndicator): boolean {
  if (kind === 'volume-profile') return false
  return pane === 'auto' ? INDICATORS[kind].place === 'own' : pane === 'own'
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
    const palette = kindRow(one.kind).outputs.map((_, output) => {
      const style = styleOfColor(one.colours[output] ?? '') ?? nextLineStyle(onChart, inPane)
      onChart.add(style)
      inPane.add(style)
      return style
    })
    const { id, kind, values, price, colours } = one
    return one.hidden ? [] : [{ id, kind, values, price, colours, palette, own: ownPane(one) }]
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

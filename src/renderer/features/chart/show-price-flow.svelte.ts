/** Shows order flow by price on a chart: the cells of a footprint, volume profiles of trades, and quotes. */
import { untrack } from 'svelte'
import { autoRows, type AutoRows, type PriceRows } from '../../../shared/core/market/flow/cells.ts'
import type { ChartIndicator, FootprintSettings } from '../../../shared/features/chart/chart-settings.ts'
import type { Transport } from '../../../shared/transport.ts'
import { NUMBERS_PX } from '../../charts/model/footprint.ts'
import { textScale } from '../../ui/text-size.svelte.ts'
import type { ChartPort, ProfileCells, ReadSides } from '../../charts/model/chart.ts'
import type { ChartQuery } from './follow/chart-target.ts'
import { followFootprint } from './follow/followed-flow.ts'
import { followQuotes } from './follow/followed-quotes.ts'
import { followProfile } from './follow/followed-profile.ts'

/** Bars narrower than this have no numbers, px. */
const NUMBERS_WIDTH_PX = 50

/** Each is a separate reactive getter. */
export interface PriceFlowShown {
  /** Null until the chart is open. */
  readonly chart: ChartPort | null
  readonly transport: Transport
  readonly query: ChartQuery
  /** Time-based bars of the instrument itself: their quotes can be read. */
  readonly isTimed: boolean
  /** The bars' trades can be read by price. */
  readonly hasFlow: boolean
  readonly isFootprint: boolean
  readonly markets: number
  readonly retry: number
  /** The clock of a replay, UTC ms. */
  readonly asOf: number | null
  /** Decimals of prices; null until bars are loaded. */
  readonly decimals: number | null
  readonly settings: FootprintSettings
  readonly indicators: readonly ChartIndicator[]
  /** Whether quotes are shown by price. */
  readonly quotes: boolean
  readonly onSides: (sides: ReadSides | null) => void
}

/** How many rows with numbers fit into the height of the chart; Infinity where its bars are too narrow for numbers. */
function rowsWithNumbers(chart: ChartPort, bars: number): number {
  const { width, height } = chart.plotArea()
  return width / bars < NUMBERS_WIDTH_PX ? Infinity : Math.max(1, Math.floor(height / (NUMBERS_PX + 1) / textScale()))
}

export interface ShownPriceFlow {
  /** The rows of the footprint; null without one. */
  readonly rows: PriceRows | null
  /** The volume profiles whose trades are read. */
  readonly profiles: () => readonly ProfileCells[]
}

/** Call it during component initialization. */
export function showPriceFlow(shown: PriceFlowShown): ShownPriceFlow {
  // Derived, so effects that use it don't run with every bar.
  const decimals = $derived(shown.decimals)
  const queryKey = $derived(JSON.stringify(shown.query))
  /** Chosen by the first few bars shown, and not changed by moving the chart. */
  let auto = $state<AutoRows | null>(null)
  const rows = $derived.by((): PriceRows | null => {
    const group = shown.settings.group ?? auto?.group ?? null
    return !shown.isFootprint || decimals === null || group === null ? null : { decimals, group }
  })
  const rowsKey = $derived(rows === null ? '' : `${rows.decimals} ${rows.group}`)

  $effect(() => {
    void queryKey
    const { chart } = shown
    auto = null
    if (!chart || !shown.isFootprint || decimals === null) return
    const choose = (): void => {
      const bars = chart.visibleBars()
      auto = autoRows(auto, bars, decimals, rowsWithNumbers(chart, bars.length))
    }
    untrack(choose)
    return chart.onView(choose)
  })
  $effect(() => {
    const { content, ratio, againstZero } = shown.settings
    shown.chart?.setFootprintLook({ content, ratio, againstZero })
  })
  let cut: (() => void) | undefined
  $effect(() => {
    void queryKey
    void rowsKey
    void shown.markets
    void shown.retry
    const { transport, chart } = shown
    const wanted = untrack(() => rows)
    if (!chart || wanted === null) return
    const query = untrack(() => shown.query)
    const following = followFootprint(transport, chart, query, wanted, (sides) => shown.onSides(sides))
    cut = () => following.cut(0)
    return following.stop
  })
  const profiles = $derived(shown.indicators.filter(({ kind, hidden }) => kind === 'volume-profile' && !hidden))
  const profilesKey = $derived(JSON.stringify(profiles.map(({ id, values }) => [id, values])))
  /** By indicator. Only the chart's menu asks for them, so they aren't reactive. */
  // eslint-disable-next-line svelte/prefer-svelte-reactivity
  const shownProfiles = new Map<string, ProfileCells>()
  let cutProfiles: (() => void) | undefined
  $effect(() => {
    void queryKey
    void profilesKey
    void shown.markets
    void shown.retry
    const { transport, chart } = shown
    const query = untrack(() => shown.query)
    if (!chart || decimals === null || !shown.hasFlow) return
    const followed = untrack(() => profiles).map((one) =>
      followProfile(transport, chart, query, decimals, one, (shown) => {
        if (shown === null) shownProfiles.delete(one.id)
        else shownProfiles.set(one.id, shown)
      }),
    )
    cutProfiles = () => {
      for (const one of followed) one.cut(0)
    }
    return () => {
      for (const one of followed) one.stop()
    }
  })
  const wantsQuotes = $derived(shown.quotes && shown.isTimed)
  let cutQuotes: (() => void) | undefined
  $effect(() => {
    void queryKey
    void shown.markets
    void shown.retry
    const { transport, chart } = shown
    if (!chart || decimals === null || !wantsQuotes) return
    const following = followQuotes(
      transport,
      chart,
      untrack(() => shown.query),
      decimals,
    )
    cutQuotes = () => following.cut(0)
    return following.stop
  })
  let before: number | null = null
  $effect(() => {
    const { asOf } = shown
    if (asOf !== null && before !== null && asOf < before) {
      cut?.()
      cutProfiles?.()
      cutQuotes?.()
    }
    before = asOf
  })
  return {
    get rows() {
      return rows
    },
    profiles: () => [...shownProfiles.values()],
  }
}

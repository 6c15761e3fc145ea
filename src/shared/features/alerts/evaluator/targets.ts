/** Attaches each kind of alert to the state that feeds it. */
import { dayStart, gridOf } from '../../../core/market/calendar.ts'
import type { BarGrid } from '../../../core/market/bars.ts'
import type { BarSource, Interval } from '../../../core/market/market.ts'
import type { AssetClass, InstrumentId } from '../../../base/units.ts'
import { BarLines } from './bar-lines.ts'
import { LevelIndex } from './levels.ts'
import type { LevelItem, Run } from './watch.ts'
import { MoveWindow, VolumeWindow } from './windows.ts'

export interface AttachOptions {
  readonly grid: (asset: AssetClass, interval: Interval) => BarGrid
  readonly wantsBars: (instrument: InstrumentId, of: BarSource, interval: Interval) => void
}

/** Attaches an alert and returns a function that detaches it. */
export function attach(run: Run, { grid, wantsBars }: AttachOptions): () => void {
  const { watch, alert } = run
  const { condition } = alert
  switch (condition.is) {
    case 'price': {
      const { index } = watch.chains[condition.of]
      const item: LevelItem = { run, role: 'fire', level: condition.level, direction: condition.direction }
      index.add(item.level, item)
      return () => index.remove(item.level, item)
    }
    case 'move': {
      const { of, percent, withinMs, direction } = condition
      const chain = watch.chains[of]
      let moves = chain.moves.find(({ window }) => window.withinMs === withinMs)
      if (moves === undefined) {
        moves = { window: new MoveWindow(withinMs), up: new LevelIndex(), down: new LevelIndex() }
        moves.up.restart()
        moves.down.restart()
        chain.moves = [...chain.moves, moves]
      }
      const mine = moves
      const item: LevelItem = { run, role: 'fire', level: percent, direction: 'up' }
      if (direction !== 'down') mine.up.add(percent, item, true)
      if (direction !== 'up') mine.down.add(percent, item, true)
      return () => {
        mine.up.remove(percent, item)
        mine.down.remove(percent, item)
        if (mine.up.size + mine.down.size === 0) chain.moves = chain.moves.filter((one) => one !== mine)
      }
    }
    case 'spread': {
      const index = watch.spread[condition.unit]
      if (index.size === 0) index.restart()
      return register(index, { run, role: 'fire', level: condition.above, direction: 'up' })
    }
    case 'volume': {
      const { above, withinMs } = condition
      let volumes = watch.volumes.find(({ window }) => window.withinMs === withinMs)
      if (volumes === undefined) {
        volumes = { window: new VolumeWindow(withinMs), index: new LevelIndex() }
        volumes.index.restart()
        watch.volumes = [...watch.volumes, volumes]
      }
      const mine = volumes
      const undo = register(mine.index, { run, role: 'fire', level: above, direction: 'up' })
      return () => {
        undo()
        if (mine.index.size === 0) watch.volumes = watch.volumes.filter((one) => one !== mine)
      }
    }
    case 'indicator': {
      const { of, interval } = condition
      let lines = watch.bars.find((one) => one.of === of && one.interval === interval)
      if (lines === undefined) {
        const days = {
          dayOf: (ms: number) => dayStart(watch.asset, ms),
          openOf: (ms: number) => gridOf(watch.asset, '1D').startOf(ms),
        }
        lines = new BarLines<Run>(of, interval, grid(watch.asset, interval), days)
        watch.bars = [...watch.bars, lines]
      }
      const mine = lines
      mine.add(run, condition)
      if (!mine.isSeeded) wantsBars(watch.id, of, interval)
      return () => {
        mine.remove(run)
        if (mine.isEmpty) watch.bars = watch.bars.filter((one) => one !== mine)
      }
    }
    case 'drawing': {
      const chain = watch.chains[condition.of]
      const drawn = { run, direction: condition.direction, distances: [] }
      chain.drawn = [...chain.drawn, drawn]
      return () => {
        chain.drawn = chain.drawn.filter((one) => one !== drawn)
      }
    }
    case 'stale':
    case 'earnings':
      return () => undefined
  }
}

function register(index: LevelIndex<LevelItem>, item: LevelItem): () => void {
  index.add(item.level, item, true)
  return () => index.remove(item.level, item)
}

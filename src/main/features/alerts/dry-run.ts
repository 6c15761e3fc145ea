/** Runs the alerts along a replay: their states, and what would have fired. Nothing is saved, played or notified. */
import { setImmediate as turn } from 'node:timers/promises'
import { Evaluator, type EvaluatorOptions } from '../../../shared/features/alerts/evaluator/evaluator.ts'
import type { Alert, AlertRow, AlertState } from '../../../shared/features/alerts/types.ts'
import type { StreamValue } from '../../../shared/contracts.ts'
import type { Drawing } from '../../../shared/features/drawings/types.ts'
import type { StreamSource } from '../../../shared/rpc/transport.ts'
import { CodedError } from '../../../shared/base/errors.ts'
import { unixMs, type InstrumentId } from '../../../shared/base/units.ts'
import { joinSinks } from '../../core/market/hub-types.ts'
import type { Market } from '../../core/market/market.ts'
import type { NewCompanion } from '../replay/replay-view.ts'
import { createHistory, type NewEvent } from './history.ts'
import { alertSink } from './record-sink.ts'
import { alertStreams } from './streams.ts'
import { createWarming, type PastBars } from './warming.ts'

export interface DryRunOptions {
  readonly alerts: () => readonly Alert[]
  /** Called whenever one changes. Returns its unsubscribe. */
  readonly onChange: (listener: () => void) => () => void
  readonly calendar: Pick<EvaluatorOptions, 'grid' | 'isOpen' | 'feeds'>
  /** Bars up to the replay's clock. */
  readonly bars: PastBars
  readonly drawings: (instrument: InstrumentId) => readonly Drawing[]
}

export interface DryRun {
  /** Wraps the replay's market so that its alerts see every record. */
  over(market: Market): Market
  stream(wake: () => void): StreamSource<StreamValue<'alerts'>>
  sweep(nowMs: number): void
  close(): void
}

/** As if none had fired yet. Reports aren't watched, because what was known of them then isn't. */
const withoutFirings = (alert: Alert): Alert => ({
  ...alert,
  done: false,
  fired: 0,
  firedMs: null,
  firedOf: null,
  away: null,
  snoozedMs: null,
})

/** What decides when an alert fires. */
const ruleOf = ({ instrument, condition, repeat, expiresMs, enabled }: Alert): string =>
  JSON.stringify([instrument, condition, repeat, expiresMs, enabled])

export function createDryRun(options: DryRunOptions): DryRun {
  const alerts = new Map<string, Alert>()
  const fired = new Map<string, { count: number; ms: number; done: boolean }>()
  const history = createHistory([])
  const stateOf = (alert: Alert): AlertState => {
    if (!alert.enabled) return { is: 'off' }
    if (fired.get(alert.id)?.done === true) return { is: 'fired' }
    return evaluator.state(alert.id) ?? { is: 'waiting', for: alert.condition.is === 'earnings' ? 'date' : 'record' }
  }
  const row = (id: string): AlertRow | undefined => {
    const alert = alerts.get(id)
    if (alert === undefined) return undefined
    const { count = 0, ms = null, done = false } = fired.get(id) ?? {}
    return { ...alert, fired: count, firedMs: ms, done, state: stateOf(alert) }
  }
  const streams = alertStreams(() => [...alerts.keys()].flatMap((id) => row(id) ?? []), row)
  const happened = (event: NewEvent): void => streams.happened(history.add(event))
  /** The evaluator has the alert as it was when its rule last changed, and its note may be newer. */
  const about = ({ id, instrument, condition, note }: Alert) => ({
    alert: id,
    instrument,
    condition,
    note: alerts.get(id)?.note ?? note,
  })
  const evaluator = new Evaluator({
    ...options.calendar,
    listener: {
      fired({ alert, atMs, eventMs, value, before }) {
        const count = (fired.get(alert.id)?.count ?? 0) + 1
        fired.set(alert.id, { count, ms: atMs, done: alert.repeat === null })
        happened({ ...about(alert), is: 'fired', atMs, eventMs, value, before })
        streams.changed([alert.id])
      },
      rearmed: () => undefined,
      unseen: (alert, atMs, value, before) => happened({ ...about(alert), is: 'unseen', atMs, value, before }),
      expired: (alert) => streams.changed([alert.id]),
      suspended: () => undefined,
      wantsBars: (instrument, of, interval) => warming.ask(instrument, of, interval),
      changed: (watch) => streams.changed([...watch.runs].map(({ alert }) => alert.id)),
    },
  })
  /** The latest time from the market or the replay's clock. */
  let latestMs = -Infinity
  const warming = createWarming({
    evaluator: () => evaluator,
    async bars(...wanted) {
      // The replay takes the position of a seek only when the seek is done.
      await turn()
      return options.bars(...wanted)
    },
    failed: () => undefined,
  })
  const forget = (id: string): void => {
    evaluator.remove(id)
    alerts.delete(id)
    fired.delete(id)
  }
  /** Takes the alerts as they are now. Those whose rules are the same keep what they have seen. */
  const take = (): void => {
    const now = new Map(options.alerts().map((alert) => [alert.id, alert]))
    for (const id of [...alerts.keys()]) if (!now.has(id)) forget(id)
    for (const [id, alert] of now) {
      const before = alerts.get(id)
      if (before !== undefined && ruleOf(before) !== ruleOf(alert)) forget(id)
      const isSame = alerts.has(id)
      alerts.set(id, alert)
      if (!alert.enabled || alert.condition.is === 'earnings') continue
      if (!isSame) evaluator.put(withoutFirings(alert))
      // They may have changed meanwhile.
      if (alert.condition.is === 'drawing') evaluator.setDrawings(alert.instrument, options.drawings(alert.instrument))
    }
    streams.reset()
  }
  take()
  const off = options.onChange(take)

  return {
    over(market) {
      const { sink } = market
      const mine = alertSink(evaluator)
      const joined = joinSinks(sink, mine)
      return {
        ...market,
        sink: {
          acknowledged: (feed, symbols) => sink.acknowledged(feed, symbols),
          ...joined,
          apply(feed, seq, recvMs, record) {
            if (recvMs > latestMs) latestMs = recvMs
            joined.apply(feed, seq, recvMs, record)
          },
        },
        restore(save, around) {
          market.restore(save, around)
          warming.forget()
          latestMs = -Infinity
          for (const id of [...alerts.keys()]) forget(id)
          history.clear()
          evaluator.forget()
          for (const [feed, state, seen] of around.feedStates) mine.feedState(feed, state, unixMs(-Infinity), seen)
          for (const { feed, cause, symbols, fromMs, toMs } of around.gaps) {
            if (toMs === null) evaluator.gapOpened(feed, cause, symbols, fromMs)
          }
          take()
        },
      }
    },
    stream: (wake) => streams.open(wake),
    sweep(nowMs) {
      warming.sweep()
      // If the clock was set back during the session, the replay's clock waits until the market catches up.
      if (nowMs <= latestMs) return
      latestMs = nowMs
      evaluator.advance(nowMs)
    },
    close() {
      warming.forget()
      off()
    },
  }
}

export interface DryRunsOptions extends Pick<DryRunOptions, 'alerts' | 'onChange' | 'calendar'> {
  /** The drawings of an instrument in the market of a session's source. */
  readonly drawings: (source: string, instrument: InstrumentId) => readonly Drawing[]
}

export interface DryRuns {
  /** Runs the alerts along a replay until it closes. */
  readonly follow: NewCompanion
  /** What the alerts would have done in a replay. Throws `not-found`. */
  stream(replay: string, wake: () => void): StreamSource<StreamValue<'alerts'>>
}

/** The dry runs of the open replays. */
export function createDryRuns({ drawings, ...options }: DryRunsOptions): DryRuns {
  const open = new Map<string, DryRun>()
  return {
    follow({ id, source, bars }) {
      const dryRun = createDryRun({
        ...options,
        bars,
        drawings: (instrument) => drawings(source, instrument),
      })
      open.set(id, dryRun)
      return {
        over: (market) => dryRun.over(market),
        sweep: (nowMs) => dryRun.sweep(nowMs),
        close() {
          open.delete(id)
          dryRun.close()
        },
      }
    },
    stream(replay, wake) {
      const dryRun = open.get(replay)
      if (dryRun !== undefined) return dryRun.stream(wake)
      throw new CodedError('not-found', `There is no replay "${replay}".`, { hint: 'Open the session again.' })
    },
  }
}

/** The screener: recorded instruments by their figures, live and in replays, and notices of who enters or leaves. */
import { changeText } from '../../../shared/features/screener/change-text.ts'
import { SCREENER_CALLS, SCREENER_STREAMS } from '../../../shared/features/screener/contract.ts'
import { screenerSettings, universeOf, type Screen } from '../../../shared/features/screener/screen.ts'
import { unixMs } from '../../../shared/base/units.ts'
import { log } from '../../core/log/feature.ts'
import { settings } from '../../core/settings/feature.ts'
import { store } from '../../core/store/feature.ts'
import { views } from '../../core/views/feature.ts'
import { live } from '../../core/views/live-feature.ts'
import { market } from '../../core/views/market-feature.ts'
import { recordedView, ViewSessions } from '../../core/views/view-sessions.ts'
import { respond, stream } from '../../rpc/respond.ts'
import { wholeStreams } from '../../rpc/state-stream.ts'
import { defineFeature } from '../../terminal/feature.ts'
import { research } from '../research/feature.ts'
import { FundamentalsReader } from './fundamentals-reader.ts'
import { Membership } from './membership.ts'
import { storedInstruments, type Instruments } from './read-facts.ts'
import { ViewScreener } from './view-screener.ts'

/** The instruments of a source are read again after this time, real ms. */
const INSTRUMENTS_MS = 10_000
/** How often saved screens with alerts are evaluated, ms. */
const LOOK_MS = 5_000

interface OpenScreen {
  readonly view: string
  readonly screen: Screen
  readonly wake: () => void
  fresh: boolean
}

export const screener = defineFeature({
  name: 'screener',
  needs: { settings, log, store, live, views, research, market },
  settings: [screenerSettings],
  start({ settings, log, store: { reader }, live, views, research, market }, { clock, host, notify }) {
    const realMs = () => clock.monoNs() / 1e6
    const open = new Set<OpenScreen>()
    const screeners = new Map<string, ViewScreener>()
    /** Views whose screener a call is waiting for. */
    const awaited: string[] = []
    const known = new Map<string, { readonly atMs: number; readonly all: Promise<Instruments> }>()
    const recorded = new ViewSessions(reader)
    const membership = new Membership()
    const changes = wholeStreams(() => membership.changes)
    /** Saved screens whose data couldn't be read at the last look. */
    const unread = new Set<string>()
    let lookedMs = -Infinity
    let stopped = false

    const instrumentsOf = (source: string): Promise<Instruments> => {
      const last = known.get(source)
      if (last !== undefined && realMs() - last.atMs < INSTRUMENTS_MS) return last.all
      const all = storedInstruments(reader, source)
      known.set(source, { atMs: realMs(), all })
      // After a failure, the next call reads again.
      all.catch(() => known.delete(source))
      return all
    }
    const tell = (view: string): void => {
      for (const one of open) {
        if (one.view !== view) continue
        one.fresh = true
        one.wake()
      }
    }
    const screenerOf = (name: string): ViewScreener => {
      const existing = screeners.get(name)
      if (existing !== undefined) return existing
      const view = views.get(name)
      const fundamentals = new FundamentalsReader(research, name)
      const made = new ViewScreener({
        view,
        instruments: () => instrumentsOf(view.source()),
        async sessions(fromMs) {
          if (view.live) await market.settled()
          return recorded.since(recordedView(view), fromMs)
        },
        fundamentals: (stocks) => fundamentals.read(stocks),
        inUniverse: (universe) => universeOf(universe, settings.get().watchlists),
        realMs,
        changed: () => tell(name),
      })
      screeners.set(name, made)
      return made
    }
    const watched = () => (host === 'cli' ? [] : settings.get().screener.screens.filter(({ alerts }) => alerts))
    const look = (nowMs: number): void => {
      const screens = watched()
      membership.keep(new Set(screens.map(({ id }) => id)))
      if (screens.length === 0 || nowMs - lookedMs < LOOK_MS) return
      lookedMs = nowMs
      const all = screenerOf('live')
      for (const saved of screens) {
        const problem = all.problemOf(saved.screen)
        if (problem !== '' && !unread.has(saved.id))
          log.add('warn', 'screener', `${saved.name}: couldn’t read the data, so changes aren’t reported.`, problem)
        if (problem === '') unread.delete(saved.id)
        else unread.add(saved.id)
        // Members aren't known before everything was read, nor while it can't be.
        const members = all.members(saved.screen)
        if (members === null) continue
        const change = membership.look(saved, members.rows, unixMs(nowMs), members.undecided)
        if (change === null) continue
        const text = changeText(change)
        log.add('info', 'screener', `${saved.name}: ${text}`)
        notify?.({ title: saved.name, body: text })
        changes.changed()
      }
    }
    live.onSweep((nowMs) => {
      if (stopped) return
      for (const name of new Set([...open].map(({ view }) => view))) {
        const screens = [...open].filter(({ view }) => view === name).map(({ screen }) => screen)
        try {
          screenerOf(name).refresh(name === 'live' ? [...screens, ...watched().map(({ screen }) => screen)] : screens)
        } catch {
          // The view was closed: its streams end by themselves.
        }
        tell(name)
      }
      if (![...open].some(({ view }) => view === 'live') && watched().length > 0)
        screenerOf('live').refresh(watched().map(({ screen }) => screen))
      for (const [name, one] of screeners) {
        const isNeeded = awaited.includes(name) || [...open].some(({ view }) => view === name)
        if (isNeeded || (name === 'live' && watched().length > 0)) continue
        one.close()
        screeners.delete(name)
      }
      look(nowMs)
    })
    live.onSourceChange(() => {
      screeners.get('live')?.forget()
      membership.forget()
    })
    return {
      service: null,
      responders: [
        ...respond(SCREENER_CALLS, {
          async 'screener.read'({ view, screen }) {
            const one = screenerOf(view)
            awaited.push(view)
            try {
              await one.settle(screen)
              return one.page(screen)
            } finally {
              awaited.splice(awaited.indexOf(view), 1)
            }
          },
        }),
        ...stream(SCREENER_STREAMS, {
          screener({ view: name, screen, offset, limit }, wake) {
            const one: OpenScreen = { view: name, screen, wake, fresh: true }
            const screens = screenerOf(name)
            open.add(one)
            screens.refresh([screen])
            return views.get(name).hold(
              {
                take() {
                  if (!one.fresh) return undefined
                  one.fresh = false
                  return screenerOf(name).page(screen, offset, limit)
                },
                close: () => void open.delete(one),
              },
              wake,
            )
          },
          'screener.changes': (_args, wake) => changes.open(wake),
        }),
      ],
      stop() {
        stopped = true
        for (const one of screeners.values()) one.close()
      },
    }
  },
})

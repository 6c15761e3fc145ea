/** The alerts feature: evaluated live, along every replay, and tested on recorded sessions. */
import { randomUUID } from 'node:crypto'
import { fixedText } from '../../../shared/base/fixed-text.ts'
import type { InstrumentId } from '../../../shared/base/units.ts'
import type { AlertAction } from '../../../shared/features/alerts/actions.ts'
import { ALERT_CALLS, ALERT_STREAMS } from '../../../shared/features/alerts/contract.ts'
import { PLAIN_NUMBERS } from '../../../shared/features/alerts/labels.ts'
import { DRAWING_MARKETS, type Drawing, type DrawingMarket } from '../../../shared/features/drawings/types.ts'
import { account } from '../../core/account/feature.ts'
import { subscribeAll, tickSymbols } from '../../core/feeds/subscriptions.ts'
import { jobs } from '../../core/jobs/feature.ts'
import { log } from '../../core/log/feature.ts'
import { settings } from '../../core/settings/feature.ts'
import { store } from '../../core/store/feature.ts'
import { views } from '../../core/views/feature.ts'
import { live } from '../../core/views/live-feature.ts'
import { market } from '../../core/views/market-feature.ts'
import { respond, stream } from '../../rpc/respond.ts'
import { defineFeature } from '../../terminal/feature.ts'
import { drawings } from '../drawings/feature.ts'
import { replay } from '../replay/feature.ts'
import { research } from '../research/feature.ts'
import { ALERT_CALENDAR } from './alert-calendar.ts'
import { createActions } from './actions/actions.ts'
import { testNote } from './actions/note.ts'
import { createAlerts } from './alerts.ts'
import { startAlertTest } from './alert-test-job.ts'
import { alertFiles } from './files.ts'
import { createDryRuns } from './dry-run.ts'
import { reportDays } from './report-days.ts'

export const alerts = defineFeature({
  name: 'alerts',
  needs: { settings, log, store, jobs, account, market, live, views, drawings, research, replay },
  start(services, { clock, dataDir, host, notify }) {
    const { settings, log, store, jobs, account, market, live, views, drawings, research, replay } = services
    const marketNow = (): DrawingMarket => (account.source.source.kind === 'demo' ? 'demo' : 'service')
    /** The drawings of the market that a session of this source holds, which may not be the live one. */
    const drawingsOfSource = (source: string, instrument: InstrumentId): readonly Drawing[] =>
      drawings[source === 'demo' ? 'demo' : 'service'].get(instrument).drawings
    const newId = () => randomUUID().replaceAll('-', '')
    const secretName = (action: AlertAction) => `alert-action:${action}`
    const actions = createActions({
      dataDir,
      clock,
      async secret(action) {
        const secret = await (await account.credentials.keychain()).get(secretName(action))
        log.secrets.note(secret)
        return secret
      },
      async setSecret(action, secret) {
        const keychain = await account.credentials.keychain()
        await (secret === null ? keychain.delete(secretName(action)) : keychain.set(secretName(action), secret))
      },
      log: (level, text) => log.add(level, 'alerts', text),
    })
    const service = createAlerts({
      files: alertFiles(dataDir),
      wallMs: () => clock.wallMs(),
      newId,
      market: marketNow,
      calendar: ALERT_CALENDAR,
      subscribe: (ids) => {
        const subscription = subscribeAll(live.feeds, tickSymbols(ids, market.symbolOf))
        return () => subscription.release()
      },
      bars: (instrument, of, interval, limit) => market.history.barsOrThrow(instrument, of, interval, limit),
      drawings: (instrument) => drawings[marketNow()].get(instrument).drawings,
      reports: (instrument) => reportDays(research, market.symbolOf(instrument), settings.get().research.params),
      symbolOf: market.symbolOf,
      numbers: (instrument) => {
        const { decimals } = market.hub.cell(instrument)
        return { ...PLAIN_NUMBERS, price: (value) => fixedText(value, decimals) }
      },
      notify,
      log: (level, text, detail) => log.add(level, 'alerts', text, detail),
      notice: (text, detail) => log.notice('alerts', text, detail),
      act: (action, note) => actions.run(action, note),
    })
    live.onRecords(service.sink)
    live.onSourceChange(() => service.sourceChanged())
    for (const one of DRAWING_MARKETS)
      drawings[one].onChange((instrument) => {
        if (one === marketNow()) service.drawingsChanged(instrument)
      })
    const dryRuns = createDryRuns({
      alerts: () => service.list(),
      onChange: (listener) => service.onChange(listener),
      drawings: drawingsOfSource,
      calendar: ALERT_CALENDAR,
    })
    replay.accompany((replayed) => dryRuns.follow(replayed))
    const test = { reader: store.reader, jobs, clock, drawings: drawingsOfSource, symbolOf: market.symbolOf }
    return {
      service,
      responders: [
        ...respond(ALERT_CALLS, {
          'alerts.save': ({ id, alert }) => service.save(id, alert),
          'alerts.restore': (args) => service.restore(args.alerts),
          'alerts.enable': (args) => service.enable(args.alerts, args.on),
          'alerts.snooze': (args) => service.snooze(args.alerts, args.untilMs),
          'alerts.remove': (args) => service.remove(args.alerts),
          'alerts.history': (args) => service.history(args),
          'alerts.clearHistory': () => service.clearHistory(),
          'alerts.test': (args) => startAlertTest(test, args),
          'alerts.actions': () => actions.state(),
          'alerts.setAction': ({ action, address, secret }) => actions.set(action, address, secret),
          'alerts.testAction': ({ action }) => actions.test(action, testNote(newId(), clock.wallMs())),
        }),
        ...stream(ALERT_STREAMS, {
          alerts({ view: name }, wake) {
            const view = views.get(name)
            return view.live ? service.stream(wake) : view.hold(dryRuns.stream(name, wake), wake)
          },
        }),
      ],
      begin() {
        // A command that only records evaluates no alerts.
        if (host !== 'cli') service.begin()
        live.onSweep((nowMs) => service.sweep(nowMs))
      },
      async stop() {
        // Stops after the last record, so that everything that fired is saved.
        try {
          await live.end()
        } finally {
          await service.close()
          await actions.close()
        }
      },
    }
  },
})

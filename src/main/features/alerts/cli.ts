/** `tapedeck alerts`: lists the alerts saved by the window, and what each would have done in a recorded session. */
import { jsonLine } from '../../base/json-schema.ts'
import { parseJson } from '../../../service/control.ts'
import { readActions, writeActions } from './actions/action-file.ts'
import { readAlerts } from './alert-format.ts'
import { alertFiles } from './files.ts'
import { conditionLabel, measureLabel, PLAIN_NUMBERS } from '../../../shared/features/alerts/labels.ts'
import { draftOf, type Alert } from '../../../shared/features/alerts/types.ts'
import type { AlertTest } from '../../../shared/features/alerts/test-report.ts'
import { countText } from '../../../shared/base/count-text.ts'
import { CodedError } from '../../../shared/base/errors.ts'
import { readDrawings, drawingsFile } from '../../../shared/features/drawings/document.ts'
import type { Drawing } from '../../../shared/features/drawings/types.ts'
import { parseInstrument, type InstrumentId } from '../../../shared/base/units.ts'
import { drawingsFolder } from '../drawings/drawings-file.ts'
import { join } from 'node:path'
import { testAlert } from './alert-test.ts'
import { defineCommand, UsageError, type Context, type Values } from '../../command-line/command.ts'
import { EXIT } from '../../command-line/exit.ts'
import { findSession, SESSION_HELP } from '../../command-line/sessions.ts'
import { INSTANT_HELP, instant, ZONE_OPTION } from '../../command-line/times.ts'
import { createProgressLine } from '../../command-line/progress-line.ts'
import { withReader } from '../../core/store/with-reader.ts'
import { isoOrNull } from '../../../shared/base/iso-time.ts'

const TURN_MS = 20
const words = (alert: Alert): string =>
  `${parseInstrument(alert.instrument)?.key ?? alert.instrument}: ${conditionLabel(alert.condition, PLAIN_NUMBERS)}`

/** The saved state of an alert. Only the window knows the current one. */
function stateOf(alert: Alert, nowMs: number): string {
  if (!alert.enabled) return 'off'
  if (alert.done) return 'fired'
  return alert.expiresMs !== null && alert.expiresMs <= nowMs ? 'expired' : 'on'
}

export const alertsCommand = defineCommand({
  examples: [
    ['As JSON Lines, for scripts', '--json'],
    ['When each would have fired in a session', '--test 01k…'],
    ['Run a program at each alert with the action Command', `--command '["notify-send", "Tapedeck"]'`],
    ['One of them, in an hour of it', '--test 01k… --alert ID --from 2026-01-05T14:00Z --to 2026-01-05T15:00Z'],
  ],
  options: {
    alert: { type: 'string', multiple: true, value: 'ID', help: 'Only this alert' },
    test: {
      type: 'string',
      value: 'SESSION',
      help: `Run them over this session (${SESSION_HELP}) without notifications`,
    },
    from: { type: 'string', value: 'T', help: `With --test: receive time to start at: ${INSTANT_HELP}` },
    to: { type: 'string', value: 'T', help: 'With --test: receive time to end before' },
    zone: ZONE_OPTION,
    command: {
      type: 'string',
      value: 'JSON',
      help: 'Set the program that alerts with the action Command run, as a JSON array of it and its arguments; [] for none',
    },
  },
  async run(values, context) {
    const command = values.text('command')
    if (command !== undefined) return setCommand(command, context)
    const session = values.text('test')
    if (session === undefined && (values.text('from') ?? values.text('to')) !== undefined) {
      throw new UsageError('--from and --to are of --test')
    }
    const alerts = chosen(savedAlerts(context), values.texts('alert'))
    if (alerts.length === 0) context.err('There are no alerts yet.\n')
    if (session !== undefined) return test(alerts, session, values, context)
    for (const alert of alerts) context.out(values.on('json') ? json(alert, context) : `${sentence(alert, context)}\n`)
    return EXIT.ok
  },
})

/** Only the command line sets the program: a page in the window can't. */
function setCommand(text: string, context: Context): number {
  const { dataDir } = context
  const argv = parseJson(text)
  if (!Array.isArray(argv) || !argv.every((word) => typeof word === 'string') || argv[0] === '') {
    throw new UsageError(`--command takes a JSON array such as '["notify-send", "Tapedeck"]', not ${text}`)
  }
  writeActions(dataDir, { ...readActions(dataDir), command: argv })
  context.err(
    argv.length === 0 ? 'Alerts run no command.\n' : `Alerts with the action Command run ${argv.join(' ')}.\n`,
  )
  return EXIT.ok
}

function savedAlerts(context: Context): readonly Alert[] {
  const text = alertFiles(context.dataDir).load('alerts')
  if (text === null) return []
  const { entries, newer } = readAlerts(text)
  if (newer) throw new CodedError('store-newer', 'These alerts were saved by a newer Tapedeck.')
  return entries
}

function chosen(alerts: readonly Alert[], ids: readonly string[]): readonly Alert[] {
  const missing = ids.find((id) => !alerts.some((alert) => alert.id === id))
  if (missing !== undefined) throw new CodedError('not-found', `There is no alert ${missing}.`)
  return ids.length === 0 ? alerts : alerts.filter(({ id }) => ids.includes(id))
}

function json(alert: Alert, context: Context): string {
  const { id, instrument, condition, repeat, expiresMs, note, fired, firedMs, market } = alert
  const state = stateOf(alert, context.clock.wallMs())
  return jsonLine('alert-definition', {
    alert: id,
    instrument,
    state,
    text: words(alert),
    condition,
    repeat,
    expires: isoOrNull(expiresMs),
    note,
    market,
    fired,
    last: isoOrNull(firedMs),
  })
}

function sentence(alert: Alert, context: Context): string {
  const fired = alert.firedMs === null ? '' : `  fired ${alert.fired}, last ${isoOrNull(alert.firedMs)}`
  const state = stateOf(alert, context.clock.wallMs())
  return `${alert.id}  ${state.padEnd(7)}  ${words(alert)}${fired}${alert.note && `  "${alert.note}"`}`
}

async function test(alerts: readonly Alert[], named: string, values: Values, context: Context): Promise<number> {
  const range = {
    fromMs: instant(values, 'from', context.clock) ?? null,
    toMs: instant(values, 'to', context.clock) ?? null,
  }
  const asJson = values.on('json')
  const line = createProgressLine(context, !asJson)
  return withReader(values, context, async (reader) => {
    const { session, source } = findSession(await reader.sessions(true), named)
    for (const alert of alerts) {
      if (alert.condition.is === 'earnings') {
        if (!asJson) context.err(`${words(alert)}: sessions hold no earnings calendar, so it can’t be tested.\n`)
        continue
      }
      const result = await testAlert({
        reader,
        draft: draftOf(alert),
        session,
        ...range,
        drawings: (instrument) => drawingsOf(source, instrument, context),
        turnMs: TURN_MS,
        realMs: () => context.clock.monoNs() / 1e6,
        signal: context.signal,
        progress: (done) => line.draw(Math.floor(done * 100), 100, words(alert), '%'),
      }).finally(() => line.clear())
      context.out(asJson ? jsonLine('alert-test', testJson(alert, session, result)) : testText(alert, result))
    }
    return EXIT.ok
  })
}

/** The drawings of an instrument in the market of a session's source, as the window tests alerts with them. */
function drawingsOf(source: string, instrument: InstrumentId, context: Context): readonly Drawing[] {
  const market = source === 'demo' ? 'demo' : 'service'
  const text = drawingsFolder(join(context.dataDir, 'drawings'), market).load(drawingsFile(instrument))
  const read = text === null ? null : readDrawings(text, instrument)
  return read?.is === 'read' ? read.drawings : []
}

function testJson(alert: Alert, session: string, { fired, unseen, listed, blind, messages }: AlertTest): object {
  return {
    alert: alert.id,
    text: words(alert),
    session,
    fired,
    unseen,
    messages,
    at: listed.map(({ is, atMs, seq, value, before }) => ({ is, at: isoOrNull(atMs), seq, value, before })),
    blind: blind.map(({ feed, cause, fromMs, toMs }) => ({
      feed,
      cause,
      from: isoOrNull(fromMs),
      to: isoOrNull(toMs),
    })),
  }
}

function testText(alert: Alert, { fired, listed, messages }: AlertTest): string {
  const times = fired === 0 ? 'would not have fired' : `would have fired ${fired === 1 ? 'once' : `${fired} times`}`
  const at = listed.map(({ is, atMs, value }) => {
    const what = is === 'fired' ? '' : '  passed unseen'
    return `  ${isoOrNull(atMs)}  ${measureLabel(alert.condition, value, PLAIN_NUMBERS)}${what}\n`
  })
  return `${words(alert)}: ${times} among ${countText(messages, 'message')}\n${at.join('')}`
}

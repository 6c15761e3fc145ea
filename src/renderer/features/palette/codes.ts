/** The codes of classic entries. The palette parses them and the help lists them. */
import type { PaneKind } from '../../../shared/features/workspace/kinds.ts'
import type { SymbolHit } from '../../../shared/core/status/status.ts'
import { t } from '../../../shared/base/text.ts'
import type { WindowState } from '../../core/window/window.svelte.ts'
import type { CodeForm } from './entry.ts'
import type { PaletteServices } from './context.ts'
import { replayPlace } from './replay-at.ts'

export interface Code extends CodeForm {
  readonly title: string
  /** Aliases known from other terminals. */
  readonly also: readonly string[]
  readonly example: string
  /** Called after the entry's symbol is selected. `hit`: that symbol; null if the entry names none. */
  readonly run: (app: WindowState, argument: string, hit: SymbolHit | null, services: PaletteServices) => void
}

const pane = (code: string, title: string, kind: PaneKind, example: string, ...also: readonly string[]): Code => ({
  code,
  also,
  title,
  takes: 'nothing',
  example,
  run: (app) => app.layout.open(kind),
})
const act = (
  code: string,
  title: string,
  run: Code['run'],
  example = code,
  takes: Code['takes'] = 'nothing',
  ...also: readonly string[]
): Code => ({ code, also, title, takes, example, run })

async function replayAt(app: WindowState, replay: PaletteServices['replay'], typed: string): Promise<void> {
  const result = await app.transport.invoke('sessions.list', {})
  if (!result.ok) return app.tell(result.error)
  const place = replayPlace(typed, result.value, app.zone, app.wallMs)
  switch (place.is) {
    case 'found':
      return replay.open([place.session], place.atMs)
    case 'none':
      return void app.toasts.show(t('No recorded session to replay yet.'))
    case 'not then':
      return void app.toasts.show(place.why)
  }
}

export const CODES: readonly Code[] = [
  pane('GP', t('Chart'), 'chart', 'BTC-USD 5m GP', 'CHART'),
  pane('QT', t('Quote'), 'quote', 'EURUSD QT', 'QUOTE'),
  pane('TAS', t('Time & sales'), 'tape', 'BTC-USD TAS', 'TAPE'),
  pane('WL', t('Watchlist'), 'watchlist', 'WL'),
  pane('FA', t('Company and fundamentals'), 'company', 'AAPL FA', 'DES'),
  pane('ER', t('Earnings'), 'earnings', 'AAPL ER', 'ERN'),
  pane('NEWS', t('News'), 'news', 'AAPL NEWS', 'CN'),
  pane('CMD', t('Commodities'), 'commodities', 'CMD'),
  pane('TA', t('Technical indicators from the service'), 'technical', 'IBM TA'),
  pane('ALRT', t('Alerts'), 'alerts', 'ALRT', 'ALERTS'),
  pane('EV', t('Evidence: coverage, agreement, verification'), 'evidence', 'EV'),
  pane('SESS', t('Recorded sessions'), 'sessions', 'SESS'),
  pane('JRNL', t('Journal: notes and review'), 'journal', 'JRNL', 'JOURNAL'),
  pane('LOG', t('Log'), 'log', 'LOG'),
  pane('TEAM', t('Recorders and history of the team'), 'team', 'TEAM'),
  pane('HLTH', t('Health: feeds, delays, disk, coverage'), 'health', 'HLTH', 'HEALTH'),
  pane('SCR', t('Screener: symbols by their figures'), 'screener', 'SCR', 'EQS'),
  act(
    'MSG',
    t('Messages behind the quote'),
    (app, _argument, hit, { evidence }) =>
      evidence.show({
        instrument: hit?.instrument ?? app.instrument,
        what: { is: 'quote' },
        title: t('Messages behind the quote'),
      }),
    'BTC-USD MSG',
  ),
  act(
    'REPLAY',
    t('Replay from a time: REPLAY 09:30'),
    (app, argument, _hit, { replay }) => void replayAt(app, replay, argument),
    'EURUSD REPLAY 09:30',
    'text',
  ),
  act('LIVE', t('Back to live'), (_app, _argument, _hit, { replay }) => replay.backToLive()),
  act('EXP', t('Export'), (app, _argument, hit) => app.openExport(hit ? { symbols: [hit.symbol] } : {}), 'BTC-USD EXP'),
  act('IMP', t('Import'), (app) => app.openImport()),
  act('ADD', t('Add to the watchlist'), (app, _argument, hit) => hit && app.lists.add(hit), 'LTC-USD ADD'),
  act('SET', t('Settings'), (app) => app.openSettings('connection')),
  act('KEYS', t('Keyboard shortcuts'), (app) => void (app.dialog = 'shortcuts')),
  act('HELP', t('Help on a word: HELP gap'), (app, argument) => app.openHelp(argument), 'HELP gap', 'text'),
  act('TOUR', t('One-minute tour'), (app) => app.startTour()),
]

/** Every code and alias, for the parser. */
export const CODE_FORMS: readonly CodeForm[] = CODES.flatMap(({ code, also, takes }) =>
  [code, ...also].map((one) => ({ code: one, takes })),
)

/** Finds a code by its name or alias. */
export function codeRow(name: string): Code | undefined {
  return CODES.find(({ code, also }) => code === name || also.includes(name))
}

/** The codes of the classic entry, one row each: the palette reads them, the help lists them. */
import { missingCase } from '../../../shared/base/errors.ts'
import type { PaneKind } from '../../../shared/features/workspace/kinds.ts'
import type { SymbolHit } from '../../../shared/core/status/status.ts'
import { say, type PlainKey } from '../../text/catalogue.ts'
import type { WindowState } from '../../core/window/window.svelte.ts'
import type { CodeForm } from './entry.ts'
import type { PaletteServices } from './context.ts'
import { replayPlace } from './replay-at.ts'

export interface Code extends CodeForm {
  readonly title: string
  /** Other spellings, from other terminals. */
  readonly also: readonly string[]
  /** An example, as typed. */
  readonly example: string
  /** The symbol was chosen before. `hit`: the one that stood before the code, if one did. */
  readonly run: (app: WindowState, argument: string, hit: SymbolHit | null, services: PaletteServices) => void
}

const titleOf = (code: string) => say(`code.${code}` as PlainKey) // every row's key is in the catalogue: a test holds it
const pane = (code: string, kind: PaneKind, example: string, ...also: readonly string[]): Code => ({
  code,
  also,
  title: titleOf(code),
  takes: 'nothing',
  example,
  run: (app) => app.openPane(kind),
})
const act = (
  code: string,
  run: Code['run'],
  example = code,
  takes: Code['takes'] = 'nothing',
  ...also: readonly string[]
): Code => ({ code, also, title: titleOf(code), takes, example, run })

async function replayAt(app: WindowState, typed: string): Promise<void> {
  const result = await app.transport.invoke('sessions.list', {})
  if (!result.ok) return app.tell(result.error)
  const place = replayPlace(typed, result.value, app.zone, app.wallMs)
  switch (place.is) {
    case 'found':
      return app.openReplay([place.session], place.atMs)
    case 'none':
      return void app.toasts.show(say('replayAt.none'))
    case 'not then':
      return void app.toasts.show(place.why)
    default:
      return missingCase(place)
  }
}

export const CODES: readonly Code[] = [
  pane('GP', 'chart', 'BTC-USD 5m GP', 'CHART'),
  pane('QT', 'quote', 'EURUSD QT', 'QUOTE'),
  pane('TAS', 'tape', 'BTC-USD TAS', 'TAPE'),
  pane('WL', 'watchlist', 'WL'),
  pane('FA', 'company', 'AAPL FA', 'DES'),
  pane('ER', 'earnings', 'AAPL ER', 'ERN'),
  pane('NEWS', 'news', 'AAPL NEWS', 'CN'),
  pane('CMD', 'commodities', 'CMD'),
  pane('TA', 'technical', 'IBM TA'),
  pane('ALRT', 'alerts', 'ALRT', 'ALERTS'),
  pane('EV', 'evidence', 'EV'),
  pane('SESS', 'sessions', 'SESS'),
  pane('LOG', 'log', 'LOG'),
  act(
    'MSG',
    (app, _argument, hit, { evidence }) =>
      evidence.show({
        instrument: hit?.instrument ?? app.instrument,
        what: { is: 'quote' },
        title: say('code.MSG'),
      }),
    'BTC-USD MSG',
  ),
  act('REPLAY', (app, argument) => void replayAt(app, argument), 'EURUSD REPLAY 09:30', 'text'),
  act('LIVE', (app) => app.backToLive()),
  act('EXP', (app, _argument, hit) => app.openExport(hit ? { symbols: [hit.symbol] } : {}), 'BTC-USD EXP'),
  act('IMP', (app) => app.openImport()),
  act('ADD', (app, _argument, hit) => hit && app.lists.add(hit), 'LTC-USD ADD'),
  act('SET', (app) => app.openSettings('connection')),
  act('KEYS', (app) => void (app.dialog = 'shortcuts')),
  act('HELP', (app, argument) => app.openHelp(argument), 'HELP gap', 'text'),
  act('TOUR', (app) => app.startTour()),
]

/** Every spelling, for the grammar. */
export const CODE_FORMS: readonly CodeForm[] = CODES.flatMap(({ code, also, takes }) =>
  [code, ...also].map((one) => ({ code: one, takes })),
)

/** The row of a spelling. */
export function codeRow(spelling: string): Code | undefined {
  return CODES.find(({ code, also }) => code === spelling || also.includes(spelling))
}

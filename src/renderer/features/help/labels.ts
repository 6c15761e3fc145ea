/** Labels of the help and the tour. */
import { labelsOf } from '../../../shared/base/text.ts'

export const helpLabel = labelsOf({
  'help.section.start': 'First steps',
  'help.section.commands': 'Commands',
  'help.section.codes': 'Command codes',
  'help.section.feeds': 'Feeds',
  'help.section.endpoints': 'Endpoints',
  'help.section.settings': 'Settings',
  'help.section.words': 'States, causes, and terms',
  'help.start.palette': 'Find anything',
  'help.start.palette.text':
    'Type letters anywhere, or press {palette}, to search symbols, commands, panes, endpoints, and settings in one list. An entry such as “BTC-USD 5m” or “AAPL FA” takes you straight there.',
  'help.start.interval': 'Change the interval',
  'help.start.interval.text': 'Type it over a chart: 5, 15, 30s, 250ms, 1h, 1d.',
  'help.start.record': 'Everything is recorded',
  'help.start.record.text':
    'Every message is stored exactly as received. Sessions ({sessions}) lists what was recorded; Evidence ({evidence}) shows how complete it is.',
  'help.start.replay': 'Replay',
  'help.start.replay.text':
    '{replay} plays the latest session on the same screens. A frame around the window marks a replay; {live} returns to live.',
  'help.start.menus': 'Menus, drag and drop, and cards',
  'help.start.menus.text':
    'Right-click a row, or press {menu}, to open its menu. Drag a symbol onto a chart, the quote, the tape, or another list. Rest the mouse on a symbol to see its card.',
  'help.word.demo': 'Demo',
  'help.word.demo.text': 'Recorded and simulated prices, so you can try everything. They aren’t live.',
  'help.word.replay': 'Replay',
  'help.word.replay.text': 'Recorded data on the live screens. Nothing after the replay’s clock is shown.',
  'help.word.recording': 'Session',
  'help.word.recording.text': 'One stored recording, from start to stop, of one source. Sessions lists them.',
  'help.word.incomplete': 'Incomplete bar',
  'help.word.incomplete.text': 'The bar touches a gap, so some of its trades may be missing.',
  'help.word.mid': 'Mid (m)',
  'help.word.mid.text': 'The midpoint of bid and ask, used and marked where a market has no trades.',
  'help.word.identical': 'Identical',
  'help.word.identical.text':
    'At the end of each compared minute, the replay’s market state exactly matched the live one: their digests agree.',
  'help.word.undecodable': 'Undecodable',
  'help.word.undecodable.text':
    'A message that couldn’t be decoded. Its bytes are stored; it isn’t used for prices or bars.',
  'help.word.unasked': 'Unasked',
  'help.word.unasked.text':
    'A message outside any subscription at the time. It is stored, but not used for prices or bars.',
  'help.word.p99': 'p99',
  'help.word.p99.text': '99 of 100 messages were on screen within this time after they were received.',
  'tour.watchlist': 'Your symbols',
  'tour.watchlist.text':
    'Live prices. The dot before a symbol shows whether its price is live, quiet, stale, or disconnected. Right-click a row for more.',
  'tour.palette': 'One box for everything',
  'tour.palette.text':
    '{palette}, or just type: a symbol, a command, “BTC-USD 5m”. Digits alone change the chart’s interval.',
  'tour.chart': 'The chart',
  'tour.chart.text': 'Live bars, built from every trade. Missing data is hatched, never filled in.',
  'tour.tape': 'Time & sales',
  'tour.tape.text': 'Every trade, newest first. It pauses under the mouse; {hold} pauses it, too.',
  'tour.record': 'Everything is recorded',
  'tour.record.text':
    'REC means that every message is stored on this computer. {replay} replays the latest session on the same screens.',
  'tour.source': 'Where prices come from',
  'tour.source.text':
    'DEMO is a simulated market. Connect your account here to see your own service. {help} opens help at any time.',
})

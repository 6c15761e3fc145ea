/** The commands of a replay: rows of the one table of shortcuts. */
import type { StepUnit } from '../../state/replay.svelte.ts'
import type { WindowState } from '../../state/window.svelte.ts'
import type { Command } from '../commands.ts'

const step = (unit: StepUnit | null, forward: boolean) => (app: WindowState) =>
  app.replay.step(unit ?? app.replay.unit, forward, app.chart.interval, app.asset)
const zoom = (factor: number) => (app: WindowState) =>
  app.replay.timeline.zoom(factor, app.replay.cursorMs ?? app.replay.timeline.whole.fromMs)

const replay = (id: string, title: string, keys: readonly string[], run: Command['run']): Command => ({
  id: `replay-${id}`,
  group: 'Replay',
  title,
  keys,
  run,
  when: 'replay',
})

export const REPLAY_COMMANDS: readonly Command[] = [
  {
    id: 'replay-latest',
    group: 'Replay',
    title: 'Replay the latest session',
    keys: ['Alt+R'],
    run: (app) => void app.replayLatest(),
  },
  {
    id: 'replay-choose',
    group: 'Replay',
    title: 'Replay: choose a session',
    keys: [],
    run: (app) => app.openPane('sessions'),
  },
  {
    id: 'replay-here',
    group: 'Replay',
    title: 'Replay from the place under the chart\u2019s crosshair',
    keys: ['Shift+Enter'],
    run: () => undefined,
    listedOnly: true,
  },
  replay('live', 'Back to live', ['Alt+End'], (app) => app.backToLive()),
  replay('play', 'Play and pause', ['Space'], (app) => app.replay.toggle()),
  replay('forward', 'One step forward: a message, second or bar, as chosen', ['\u2192'], step(null, true)),
  replay('back', 'One step back', ['\u2190'], step(null, false)),
  replay('second-forward', 'One second forward', ['Ctrl+\u2192'], step('second', true)),
  replay('second-back', 'One second back', ['Ctrl+\u2190'], step('second', false)),
  replay('bar-forward', 'One bar forward', ['Shift+\u2192'], step('bar', true)),
  replay('bar-back', 'One bar back', ['Shift+\u2190'], step('bar', false)),
  replay('faster', 'Faster', ['Ctrl+\u2191'], (app) => app.replay.changeSpeed(1)),
  replay('slower', 'Slower', ['Ctrl+\u2193'], (app) => app.replay.changeSpeed(-1)),
  replay('go', 'Go to a time', ['Ctrl+G'], (app) => void (app.dialog = 'jump')),
  replay('start', 'To the start', ['Home'], (app) => app.replay.seek({ at: 'start' })),
  replay('end', 'To the end', ['End'], (app) => app.replay.seek({ at: 'end' })),
  replay('next-gap', 'Next gap', ['.'], (app) => app.replay.seek({ at: 'next gap' })),
  replay('previous-gap', 'Previous gap', [','], (app) => app.replay.seek({ at: 'previous gap' })),
  replay('next-open', 'Next session open', ['Alt+O'], (app) => app.replay.seek({ at: 'next open', asset: app.asset })),
  replay('bookmark', 'Add a bookmark', ['Ctrl+B'], (app) => void (app.dialog = 'bookmark')),
  replay('next-bookmark', 'Next bookmark', ['>'], (app) => app.replay.seek({ at: 'next bookmark' })),
  replay('previous-bookmark', 'Previous bookmark', ['<'], (app) => app.replay.seek({ at: 'previous bookmark' })),
  replay('loop-from', 'Loop from here', ['['], (app) => app.replay.loopEdge('from')),
  replay('loop-to', 'Loop to here', [']'], (app) => app.replay.loopEdge('to')),
  replay('loop-off', 'No loop', ['\\'], (app) => app.replay.setLoop(null)),
  replay('skip', 'Skip idle stretches, or play them', ['Alt+J'], (app) =>
    app.replay.setSkipIdle(!app.replay.state?.skipIdle),
  ),
  replay('zoom-in', 'Zoom the timeline in', ['+'], zoom(1.6)),
  replay('zoom-out', 'Zoom the timeline out', ['-'], zoom(1 / 1.6)),
  replay('zoom-whole', 'Show the whole timeline', ['Alt+0'], (app) => app.replay.timeline.fit()),
  replay('window', 'Replay in a new window', ['Alt+W'], (app) => app.popOutReplay()),
]

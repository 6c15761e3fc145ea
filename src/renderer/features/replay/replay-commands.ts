/** The commands of a replay: rows of the one table of shortcuts. */
import { say } from '../../text/catalogue.ts'
import type { StepUnit } from './replay.svelte.ts'
import type { WindowState } from '../../core/window/window.svelte.ts'
import type { Command } from '../../core/window/command.ts'

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
    title: say('replay.replay-latest-session'),
    keys: ['Alt+R'],
    run: (app) => void app.replayLatest(),
  },
  {
    id: 'replay-choose',
    group: 'Replay',
    title: say('replay.replay-choose-session'),
    keys: [],
    run: (app) => app.openPane('sessions'),
  },
  {
    id: 'replay-here',
    group: 'Replay',
    title: say('replay.replay-from-place-under'),
    keys: ['Shift+Enter'],
    run: () => undefined,
    listedOnly: true,
  },
  replay('live', say('replay.back-live'), ['Alt+End'], (app) => app.backToLive()),
  replay('play', say('replay.play-pause'), ['Space'], (app) => app.replay.toggle()),
  replay('forward', say('replay.one-step-forward-message'), ['\u2192'], step(null, true)),
  replay('back', say('replay.one-step-back'), ['\u2190'], step(null, false)),
  replay('second-forward', say('replay.one-second-forward'), ['Ctrl+\u2192'], step('second', true)),
  replay('second-back', say('replay.one-second-back'), ['Ctrl+\u2190'], step('second', false)),
  replay('bar-forward', say('replay.one-bar-forward'), ['Shift+\u2192'], step('bar', true)),
  replay('bar-back', say('replay.one-bar-back'), ['Shift+\u2190'], step('bar', false)),
  replay('faster', say('replay.faster'), ['Ctrl+\u2191'], (app) => app.replay.changeSpeed(1)),
  replay('slower', say('replay.slower'), ['Ctrl+\u2193'], (app) => app.replay.changeSpeed(-1)),
  replay('go', say('replay.go-time'), ['Ctrl+G'], (app) => void (app.dialog = 'jump')),
  replay('start', say('replay.start'), ['Home'], (app) => app.replay.seek({ at: 'start' })),
  replay('end', say('replay.end'), ['End'], (app) => app.replay.seek({ at: 'end' })),
  replay('next-gap', say('replay.next-gap'), ['.'], (app) => app.replay.seek({ at: 'next gap' })),
  replay('previous-gap', say('replay.previous-gap'), [','], (app) => app.replay.seek({ at: 'previous gap' })),
  replay('next-open', say('replay.next-session-open'), ['Alt+O'], (app) =>
    app.replay.seek({ at: 'next open', asset: app.asset }),
  ),
  replay('bookmark', say('replay.add-bookmark'), ['Ctrl+B'], (app) => void (app.dialog = 'bookmark')),
  replay('next-bookmark', say('replay.next-bookmark'), ['>'], (app) => app.replay.seek({ at: 'next bookmark' })),
  replay('previous-bookmark', say('replay.previous-bookmark'), ['<'], (app) =>
    app.replay.seek({ at: 'previous bookmark' }),
  ),
  replay('loop-from', say('replay.loop-from-here'), ['['], (app) => app.replay.loopEdge('from')),
  replay('loop-to', say('replay.loop-here'), [']'], (app) => app.replay.loopEdge('to')),
  replay('loop-off', say('replay.no-loop'), ['\\'], (app) => app.replay.setLoop(null)),
  replay('skip', say('replay.skip-idle-stretches-or'), ['Alt+J'], (app) =>
    app.replay.setSkipIdle(!app.replay.state?.skipIdle),
  ),
  replay('zoom-in', say('replay.zoom-timeline'), ['+'], zoom(1.6)),
  replay('zoom-out', say('replay.zoom-timeline-out'), ['-'], zoom(1 / 1.6)),
  replay('zoom-whole', say('replay.show-whole-timeline'), ['Alt+0'], (app) => app.replay.timeline.fit()),
  replay('window', say('replay.replay-new-window'), ['Alt+W'], (app) => app.popOutReplay()),
]

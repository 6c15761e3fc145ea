/** Replay commands for the shortcut table. */
import { t } from '../../../shared/base/text.ts'
import { loopText } from '../../text/replay-labels.ts'
import type { StepUnit } from './replay.svelte.ts'
import type { Replays } from './replays.ts'
import type { WindowState } from '../../core/window/window.svelte.ts'
import type { Command } from '../../core/window/command.ts'

const replay = (id: string, title: string, keys: readonly string[], run: Command['run']): Command => ({
  id: `replay-${id}`,
  group: 'Replay',
  title,
  keys,
  run,
  when: 'replay',
})

export function replayCommands(replays: Replays): readonly Command[] {
  const step = (unit: StepUnit | null, forward: boolean) => (app: WindowState) =>
    replays.current.step(unit ?? replays.current.unit, forward, app.chart.interval, app.asset)
  const zoom = (factor: number) => () =>
    replays.current.timeline.zoom(factor, replays.current.cursorMs ?? replays.current.timeline.whole.fromMs)
  const loopEdge = (edge: 'from' | 'to') => (app: WindowState) => {
    const loop = replays.current.loopEdge(edge)
    app.toasts.show(loop ? loopText(loop, app.zone) : t('The loop is too short and was cleared.'))
  }
  return [
    {
      id: 'replay-latest',
      group: 'Replay',
      title: t('Replay the latest session'),
      keys: ['Alt+R'],
      run: () => void replays.openLatest(),
    },
    {
      id: 'replay-choose',
      group: 'Replay',
      title: t('Replay a session…'),
      keys: [],
      run: (app) => app.layout.open('sessions'),
    },
    {
      id: 'replay-here',
      group: 'Replay',
      title: t('Replay from the chart’s crosshair'),
      keys: ['Shift+Enter'],
      run: () => undefined,
      listedOnly: true,
    },
    replay('live', t('Back to live'), ['Alt+End'], () => replays.backToLive()),
    replay('play', t('Play or pause'), ['Space'], () => replays.current.toggle()),
    replay('forward', t('Step forward (by message, second, or bar)'), ['\u2192'], step(null, true)),
    replay('back', t('Step back'), ['\u2190'], step(null, false)),
    replay('second-forward', t('Forward one second'), ['Ctrl+\u2192'], step('second', true)),
    replay('second-back', t('Back one second'), ['Ctrl+\u2190'], step('second', false)),
    replay('bar-forward', t('Forward one bar'), ['Shift+\u2192'], step('bar', true)),
    replay('bar-back', t('Back one bar'), ['Shift+\u2190'], step('bar', false)),
    replay('faster', t('Faster'), ['Ctrl+\u2191'], () => replays.current.changeSpeed(1)),
    replay('slower', t('Slower'), ['Ctrl+\u2193'], () => replays.current.changeSpeed(-1)),
    replay('go', t('Go to time'), ['Ctrl+G'], (app) => void (app.dialog = 'jump')),
    replay('start', t('Go to start'), ['Home'], () => replays.current.seek({ at: 'start' })),
    replay('end', t('Go to end'), ['End'], () => replays.current.seek({ at: 'end' })),
    replay('next-gap', t('Next gap'), ['.'], () => replays.current.seek({ at: 'next gap' })),
    replay('previous-gap', t('Previous gap'), [','], () => replays.current.seek({ at: 'previous gap' })),
    replay('next-open', t('Next market open'), ['Alt+O'], (app) =>
      replays.current.seek({ at: 'next open', asset: app.asset }),
    ),
    replay('bookmark', t('Add bookmark'), ['Ctrl+B'], (app) => void (app.dialog = 'bookmark')),
    replay('next-bookmark', t('Next bookmark'), ['>'], () => replays.current.seek({ at: 'next bookmark' })),
    replay('previous-bookmark', t('Previous bookmark'), ['<'], () => replays.current.seek({ at: 'previous bookmark' })),
    replay('loop-from', t('Set loop start'), ['['], loopEdge('from')),
    replay('loop-to', t('Set loop end'), [']'], loopEdge('to')),
    replay('loop-off', t('Clear loop'), ['\\'], (app) => {
      if (replays.current.state?.loop) app.toasts.show(t('Loop cleared.'))
      replays.current.setLoop(null)
    }),
    replay('skip', t('Skip or play idle time'), ['Alt+J'], () =>
      replays.current.setSkipIdle(!replays.current.state?.skipIdle),
    ),
    replay('zoom-in', t('Zoom in on the timeline'), ['+'], zoom(1.6)),
    replay('zoom-out', t('Zoom out on the timeline'), ['-'], zoom(1 / 1.6)),
    replay('zoom-whole', t('Show the whole timeline'), ['Alt+0'], () => replays.current.timeline.fit()),
    replay('window', t('Replay in a new window'), ['Alt+W'], () => replays.popOut()),
  ]
}

/** Commands of the chart and of the tape beside it. */
import { say } from '../../text/catalogue.ts'
import type { Command } from '../../core/window/command.ts'
import { nothing } from '../../core/window/general.ts'

export const CHART_COMMANDS: readonly Command[] = [
  {
    id: 'interval',
    group: 'Chart',
    title: say('command.interval'),
    keys: [say('keys.digits')],
    run: nothing,
    listedOnly: true,
  },
]

export const TAPE_COMMANDS: readonly Command[] = [
  {
    id: 'tape',
    group: 'Tape',
    title: say('command.tape'),
    keys: ['Space'],
    run: (app) => app.tape.toggle(),
    // Space plays a replay.
    when: 'live',
  },
  {
    id: 'tape-replay',
    group: 'Tape',
    title: say('command.tape-replay'),
    keys: ['Alt+H'],
    run: (app) => app.tape.toggle(),
    when: 'replay',
  },
]

/** Commands of the tape. */
import { say } from '../../text/catalogue.ts'
import type { Command } from '../../core/window/command.ts'

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

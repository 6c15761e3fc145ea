/** Commands of the tape. */
import { say } from '../../text/catalogue.ts'
import type { Command } from '../../core/window/command.ts'
import type { Tape } from './tape.svelte.ts'

export const tapeCommands = (tape: Tape): readonly Command[] => [
  {
    id: 'tape',
    group: 'Tape',
    title: say('command.tape'),
    keys: ['Space'],
    run: () => tape.toggle(),
    // Space plays a replay.
    when: 'live',
  },
  {
    id: 'tape-replay',
    group: 'Tape',
    title: say('command.tape-replay'),
    keys: ['Alt+H'],
    run: () => tape.toggle(),
    when: 'replay',
  },
]

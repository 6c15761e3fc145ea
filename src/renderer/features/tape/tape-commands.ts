/** Commands of the tape. */
import { t } from '../../../shared/base/text.ts'
import type { Command } from '../../core/window/command.ts'
import type { Tape } from './tape.svelte.ts'

export const tapeCommands = (tape: Tape): readonly Command[] => [
  {
    id: 'tape',
    group: 'Tape',
    title: t('Pause or resume the tape'),
    keys: ['Space'],
    run: () => tape.toggle(),
    // In a replay, Space plays and pauses the replay.
    when: 'live',
  },
  {
    id: 'tape-replay',
    group: 'Tape',
    title: t('Pause or resume the tape in a replay'),
    keys: ['Alt+H'],
    run: () => tape.toggle(),
    when: 'replay',
  },
]

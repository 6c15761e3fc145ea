/** Drawings on charts: their commands. */
import { defineWindowFeature } from '../../core/window/feature.ts'
import { DRAWING_COMMANDS } from './drawing-commands.ts'

export const drawings = defineWindowFeature({
  name: 'drawings',
  needs: {},
  start: () => ({
    service: null,
    commands: DRAWING_COMMANDS,
  }),
})

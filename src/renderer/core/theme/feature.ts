/** Theme and text size commands. */
import { defineWindowFeature } from '../window/feature.ts'
import { THEME_COMMANDS } from './theme-commands.ts'

export const theme = defineWindowFeature({
  name: 'theme',
  needs: {},
  start: () => ({ service: null, commands: THEME_COMMANDS }),
})

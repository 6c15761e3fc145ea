/** Labels of the palette, its codes and the panes it lists. */
import { labelsOf } from '../../../shared/base/text.ts'

export const paletteLabel = labelsOf({
  'palette.recent': 'Recent',
  'palette.symbols': 'Symbols',
  'palette.commands': 'Commands',
  'palette.kind.command': 'Command',
  'palette.kind.pane': 'Pane',
  'palette.kind.code': 'Code',
  'palette.kind.workspace': 'Workspace',
  'palette.kind.list': 'Watchlist',
  'palette.kind.endpoint': 'Endpoint',
  'palette.kind.setting': 'Setting',
  'palette.kind.help': 'Help',
})

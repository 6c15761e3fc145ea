/** Labels of workspaces and pane menus. */
import { labelsOf } from '../../../shared/base/text.ts'

export const dockLabel = labelsOf({
  'dock.share.interval': 'Sync interval',
  'dock.share.crosshair': 'Sync crosshair',
  'dock.move-pane.left': 'Move the pane left',
  'dock.move-pane.right': 'Move the pane right',
  'dock.move-pane.up': 'Move the pane up',
  'dock.move-pane.down': 'Move the pane down',
  'dock.size-pane.left': 'Make the pane narrower',
  'dock.size-pane.right': 'Make the pane wider',
  'dock.size-pane.up': 'Make the pane shorter',
  'dock.size-pane.down': 'Make the pane taller',
})

/** Drawings in the window: the layer on charts, their settings, and their commands. */
import { drawingSettings } from '../../../shared/features/drawings/settings.ts'
import { symbolOf } from '../../core/symbols/symbol-of.ts'
import { defineWindowFeature } from '../../core/window/feature.ts'
import { undoing } from '../../ui/toasts.svelte.ts'
import { drawingCommands } from './drawing-commands.ts'
import { DrawingController } from './drawing-controller.svelte.ts'
import DrawingLayer from './DrawingLayer.svelte'
import DrawingTools from './DrawingTools.svelte'
import { DrawingsBook } from './drawings.svelte.ts'

export interface DrawingsService {
  /** The controller of one chart's drawings; the chart closes it. */
  open(): DrawingController
  readonly Layer: typeof DrawingLayer
  readonly Tools: typeof DrawingTools
}

export const drawings = defineWindowFeature({
  name: 'drawings',
  needs: {},
  settings: [drawingSettings],
  start(_services, app) {
    const book = new DrawingsBook(app.transport, {
      settings: () => app.settings.now.drawing,
      set: (patch) => app.set(patch),
      tell: (text, undo, can) => app.toasts.show(text, { action: undoing(undo, can) }),
      symbolOf: (instrument) => symbolOf(app, instrument),
      problem: (failure) => app.tell(failure),
    })
    const service: DrawingsService = {
      open: () => new DrawingController(book),
      Layer: DrawingLayer,
      Tools: DrawingTools,
    }
    return { service, commands: drawingCommands(book), save: () => book.flush() }
  },
})

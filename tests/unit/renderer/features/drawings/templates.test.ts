import { beforeEach, expect, it, vi } from 'vitest'
import { DrawingController } from '../../../../../src/renderer/features/drawings/drawing-controller.svelte.ts'
import { DrawingsBook, type DrawingWindow } from '../../../../../src/renderer/features/drawings/drawings.svelte.ts'
import {
  MAX_DRAWING_TEMPLATES,
  type DrawingSettings,
  type DrawingTemplate,
} from '../../../../../src/shared/features/drawings/settings.ts'
import { defaultStyle } from '../../../../../src/shared/features/drawings/types.ts'
import { TestTransport } from '../../../../kit/transport.ts'
import { at, drawing } from '../../../shared/features/drawings/samples.ts'

const template = (name: string): DrawingTemplate => ({
  name,
  kind: 'trend',
  style: { ...defaultStyle('trend'), levels: [] },
})

let settings: DrawingSettings
let controller: DrawingController
const tell = vi.fn<DrawingWindow['tell']>()
beforeEach(() => {
  tell.mockReset()
  const templates = ['A', 'B', 'C'].map(template)
  settings = { magnet: false, hidden: false, recent: [], styles: {}, templates }
  const window: DrawingWindow = {
    settings: () => settings,
    set: (patch) => (settings = { ...settings, ...(patch.drawing as Partial<DrawingSettings>) }),
    tell,
    symbolOf: (instrument) => instrument,
    problem: (failure) => expect.unreachable(failure.message),
  }
  controller = new DrawingController(new DrawingsBook(new TestTransport(), window))
})
const names = () => settings.templates.map(({ name }) => name).join('')

/** Deletes a template; returns the Undo of the notification. */
function deleted(name: string) {
  controller.deleteTemplate(template(name))
  const [, undo, can] = tell.mock.lastCall!
  return { undo, can }
}

it('come back to where they were, once', () => {
  const { undo, can } = deleted('B')
  expect([names(), can()]).toEqual(['AC', true])
  undo()
  expect([names(), can()]).toEqual(['ABC', false])
})

it('say that they replace one with the same name, which can come back', () => {
  controller.saveTemplate('D', drawing('trend', [at(0, 1), at(1, 2)], { id: 'a' }))
  expect([controller.said, tell.mock.calls.length]).toEqual(['Template D saved.', 0])
  const before = settings.templates[1]
  const red = drawing('trend', [at(0, 1), at(1, 2)], { id: 'b', style: { ...defaultStyle('trend'), color: 'red' } })
  controller.saveTemplate('B', red)
  const [text, undo, can] = tell.mock.lastCall!
  expect([text, names(), settings.templates[3].style.color, can()]).toEqual([
    'Template B replaced.',
    'ACDB',
    'red',
    true,
  ])
  undo()
  expect([names(), settings.templates[3]]).toEqual(['ACDB', before])
})

it('don’t come back in place of another one: with the same name, or where there is no more room', () => {
  const { can } = deleted('A')
  controller.saveTemplate('A', drawing('trend', [at(0, 1), at(1, 2)], { id: 'a' }))
  expect([names(), can()]).toEqual(['BCA', false])
  deleted('A')
  expect(can()).toBe(true)
  settings = { ...settings, templates: Array.from({ length: MAX_DRAWING_TEMPLATES }, (_, i) => template(`${i}`)) }
  expect(can()).toBe(false)
})

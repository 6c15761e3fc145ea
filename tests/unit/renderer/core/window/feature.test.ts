import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  defineWindowFeature,
  startFeatures,
  type WindowFeature,
} from '../../../../../src/renderer/core/window/feature.ts'
import { general } from '../../../../../src/renderer/core/window/general.ts'
import { WindowState } from '../../../../../src/renderer/core/window/window.svelte.ts'
import { PANE_KINDS } from '../../../../../src/shared/features/workspace/kinds.ts'
import { FEATURES } from '../../../../../src/renderer/features.ts'
import { DEFAULT_SETTINGS } from '../../../../kit/settings.ts'
import { TestTransport } from '../../../../kit/transport.ts'

let app: WindowState | undefined
afterEach(() => app?.close())
const window = () => (app = new WindowState(new TestTransport()))

function story() {
  const told: string[] = []
  const base = defineWindowFeature({
    name: 'base',
    needs: {},
    start() {
      told.push('start base')
      return {
        service: { value: 7 },
        commands: [general('base', 'Base', [], () => undefined)],
        close: () => void told.push('close base'),
        leave: () => void told.push('leave base'),
      }
    },
  })
  const user = defineWindowFeature({
    name: 'user',
    needs: { base },
    start(services) {
      told.push(`start user with ${services.base.value}`)
      return {
        service: { twice: 2 * services.base.value },
        commands: [general('user', 'User', [], () => undefined)],
        close: () => void told.push('close user'),
      }
    },
  })
  return { told, base, user }
}

describe('features of a window', () => {
  it('start after what they need and close before it, each once', () => {
    const { told, base, user } = story()
    const started = startFeatures([user, base], window())
    expect(started.get(user)).toEqual({ twice: 14 })
    started.leave()
    started.close()
    expect(told).toEqual(['start base', 'start user with 7', 'leave base', 'close user', 'close base'])
  })
  it('save before the terminal closes, and say so', () => {
    const order: string[] = []
    const transport = new TestTransport()
      .answer('desktop.saved', () => (order.push('saved'), null))
      .serve('desktop.info', () => ({ host: 'test', version: '1', platform: 'linux', storePath: '' }))
    const opened = (app = new WindowState(transport))
    const holding = defineWindowFeature({
      name: 'holding',
      needs: {},
      start: () => ({ service: null, save: () => void order.push('save') }),
    })
    startFeatures([holding], opened)
    expect(order).toEqual([])
    transport.send('desktop.info', { host: 'test', version: '1', platform: 'linux', storePath: '', closing: true })
    expect(order).toEqual(['save', 'saved'])
  })
  it('bring the defaults of their settings before the terminal has sent any', () => {
    const opened = window()
    startFeatures(FEATURES, opened)
    expect(opened.settings.now).toEqual(DEFAULT_SETTINGS)
    opened.set({ drawing: { magnet: true } })
    expect(opened.settings.now.drawing).toEqual({ ...DEFAULT_SETTINGS.drawing, magnet: true })
  })
  it('contribute in the order of the list, whatever needs what', () => {
    const { base, user } = story()
    const opened = window()
    startFeatures([user, base], opened)
    expect(opened.commands.all.map(({ id }) => id)).toEqual(['user', 'base'])
  })
  it('start with those they need, listed or not', () => {
    const { told, base, user } = story()
    expect(startFeatures([user], window()).get(base)).toEqual({ value: 7 })
    expect(told).toHaveLength(2)
  })
  it('have one name each, and no service before they start', () => {
    const { base, user } = story()
    const twin: WindowFeature = { ...user, needs: {}, name: 'base' }
    expect(() => startFeatures([base, twin], window())).toThrow('Two features are named base.')
    expect(() => startFeatures([base], window()).get(user)).toThrow("The feature user isn't started.")
  })
  it('close with their window', () => {
    const close = vi.fn()
    const one = defineWindowFeature({ name: 'one', needs: {}, start: () => ({ service: null, close }) })
    const opened = window()
    startFeatures([one], opened)
    expect(close).not.toHaveBeenCalled()
    opened.close()
    expect(close).toHaveBeenCalledOnce()
    app = undefined
  })
  it('show every kind of pane between them', () => {
    const { parts } = startFeatures(FEATURES, window())
    expect(PANE_KINDS.filter((kind) => parts.pane(kind) === undefined)).toEqual([])
  })
})

import '../../browser-stubs.ts'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { WindowState } from '../../../../../src/renderer/core/window/window.svelte.ts'
import { evidence } from '../../../../../src/renderer/features/evidence/feature.ts'
import { palette as codes } from '../../../../../src/renderer/features/palette/feature.ts'
import { dockOf, openWindow, serviceOf, replaysOf } from '../../open-window.ts'
import { popOutPane } from '../../../../../src/renderer/features/workspace/dock-acts.ts'
import { helpTopics } from '../../../../../src/renderer/features/help/help-topics.ts'
import { paletteItems } from '../../../../../src/renderer/features/palette/items.ts'
import { paletteOptions } from '../../../../../src/renderer/features/palette/palette-options.ts'
import { STYLE_LABEL } from '../../../../../src/renderer/features/chart/model/chart-labels.ts'
import { CHART_STYLES } from '../../../../../src/shared/features/chart/chart-settings.ts'
import { MAX_POPOUTS } from '../../../../../src/shared/features/workspace/document.ts'
import { WindowTerminal } from '../../../../kit/window-terminal.ts'

let app: WindowState | undefined
let terminal: WindowTerminal
afterEach(() => {
  app?.close()
  terminal.close()
  app = undefined
  vi.unstubAllGlobals()
})
async function open() {
  terminal = await WindowTerminal.start({ feeds: false, record: false })
  app = openWindow(terminal)
  await terminal.settle()
  return app
}

describe('what the palette and the help offer', () => {
  const HOSTS_OWN = ['tray', 'ask-quit', 'login', 'mark-key', 'channel']
  const itemsOf = (state: WindowState) =>
    paletteItems(state, {
      evidence: serviceOf(state, evidence),
      replay: replaysOf(state),
      workspace: dockOf(state),
    })
  const offered = (state: WindowState) => {
    const ids = (all: readonly { readonly id: string }[], begins: string) =>
      HOSTS_OWN.filter((id) => all.some((one) => one.id === `${begins}:${id}`))
    const [palette, help] = [
      ids(itemsOf(state), 'setting'),
      ids(helpTopics(state, serviceOf(state, codes), []), 'settings'),
    ]
    expect(help).toEqual(palette)
    return palette
  }
  it('are the settings that this copy has', async () => {
    const state = await open()
    const { info } = state
    if (!info) throw new Error('the window doesn’t know its host')
    state.info = { ...info, host: 'browser' }
    expect(offered(state)).toEqual([])
    state.info = { ...info, host: 'electron' }
    expect(offered(state)).toEqual(['tray', 'ask-quit', 'mark-key'])
    state.info = { ...info, host: 'electron', startsAtLogin: true }
    state.update = { is: 'current', checkedMs: null }
    expect(offered(state)).toEqual(HOSTS_OWN)
  })

  it('are found by the words for what they do', async () => {
    const app = await open()
    const items = itemsOf(app)
    const shown = { instrument: app.instrument, spread: app.chart.spread }
    const found = (text: string) =>
      paletteOptions({ text, entry: null, hits: [], answered: false, items, recent: [], ...shown }).flatMap(
        ({ options }) => options.map(({ id }) => id),
      )
    expect(found('verify')[0]).toBe('command:verify')
    expect(found('erase').slice(0, 2)).toEqual(['pane:sessions', 'setting:keep'])
    expect(found('move store')[0]).toBe('setting:store')
    for (const style of CHART_STYLES.filter((one) => one !== 'footprint'))
      expect(found(STYLE_LABEL[style])[0]).toBe(`command:chart-style-${style}`)
  })
})

describe('a window too many', () => {
  it('is refused in a sentence, and the pane stays where it was', async () => {
    const state = await open()
    const opened = vi.fn(() => ({}))
    vi.stubGlobal('open', opened)
    const pane = () => dockOf(state).now.front
    for (let i = 0; i <= MAX_POPOUTS; i++) dockOf(state).open('log')
    for (let i = 0; i < MAX_POPOUTS; i++) {
      dockOf(state).duplicate(pane())
      popOutPane(state, dockOf(state), pane())
    }
    expect(dockOf(state).whole.popouts).toHaveLength(MAX_POPOUTS)
    expect(opened).toHaveBeenCalledTimes(MAX_POPOUTS)
    const before = dockOf(state).whole
    popOutPane(state, dockOf(state), pane())
    expect(opened).toHaveBeenCalledTimes(MAX_POPOUTS)
    expect(dockOf(state).whole).toBe(before)
    expect(state.toasts.list.at(-1)?.text).toContain(`up to ${MAX_POPOUTS} extra windows`)
  })
})

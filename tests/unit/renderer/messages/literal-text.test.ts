import { describe, expect, it } from 'vitest'
import { literalTexts } from './literal-text.ts'

const FILES = import.meta.glob<string>('../../../../src/renderer/**/*.svelte', {
  query: '?raw',
  import: 'default',
  eager: true,
})
const components = Object.entries(FILES).map(([path, source]) => ({
  name: path.slice(path.indexOf('/src/renderer/') + '/src/renderer/'.length),
  texts: literalTexts(source),
}))

/** Whole of texts from the catalogue; nothing of these may go back. */
const DONE = [
  /^ui\/(Menu|Modal|ToastList|Popover|VirtualRows)\.svelte$/,
  /^workspace\/(TopBar|StatusBar|Shortcuts|SymbolCombo|Guides)\.svelte$/,
  /^workspace\/(palette|help)\//,
  /^panes\/settings\//,
  /^panes\/account\/ConnectCard\.svelte$/,
  /^panes\/watchlist\/SymbolCard\.svelte$/,
]
/** Components that still hold texts of their own. It only ever goes down. */
const LEFT = 92

describe('texts outside of the catalogue', () => {
  it('are found between tags and in attributes that are read, and keys are left alone', () => {
    const source = `<p class="big text" title="A hint">Words <kbd>Ctrl</kbd> {say('x')} <b aria-label={say('y')}>5 %</b></p>`
    expect(literalTexts(source)).toEqual(['A hint', 'Words'])
  })
  it('are not in the components that are done', () => {
    const done = components.filter(({ name }) => DONE.some((one) => one.test(name)))
    expect(done.length).toBeGreaterThan(15)
    expect(done.filter(({ texts }) => texts.length > 0)).toEqual([])
  })
  it('are in no more components than before', () => {
    const left = components.filter(({ texts }) => texts.length > 0).map(({ name }) => name)
    expect(left.length, left.join('\n')).toBeLessThanOrEqual(LEFT)
  })
})

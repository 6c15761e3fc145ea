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

describe('texts outside of the catalogue', () => {
  it('are found between tags and in attributes that are read, and keys are left alone', () => {
    const source = `<p class="big text" title="A hint">Words <kbd>Ctrl</kbd> {say('x')} <b aria-label={say('y')}>5 %</b></p>`
    expect(literalTexts(source)).toEqual(['A hint', 'Words'])
    const made = "<p title={a === 'one' ? `Half ${a}` : b} class={a ? 'up' : 'down'}>{a ? 'On' : say('y')}</p>"
    expect(literalTexts(made)).toEqual(['Half ', 'On'])
  })
  it('are in no component', () => {
    expect(components.length).toBeGreaterThan(100)
    expect(components.filter(({ texts }) => texts.length > 0)).toEqual([])
  })
})

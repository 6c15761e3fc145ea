import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { accentColours, contrast, readable, type Grounds } from '../../../src/renderer/core/theme/accent.ts'

const css = readFileSync('src/renderer/styles/tokens.css', 'utf8')
function groundsOf(selector: string): Grounds {
  const from = css.indexOf(`${selector} {`)
  const block = css.slice(from, css.indexOf('}', from))
  const read = (token: string): string => new RegExp(`--${token}: (#[0-9a-f]{6})`).exec(block)?.[1] ?? ''
  return { page: read('page'), pane: read('pane'), raised: read('raised'), text: read('text'), dim: read('dim') }
}
const THEMES: readonly (readonly [string, Grounds])[] = [
  ['dark', groundsOf(':root')],
  ['light', groundsOf(":root[data-theme='light']")],
  ['contrast', groundsOf(":root[data-theme='contrast']")],
]
const colour = fc
  .tuple(...([0, 1, 2] as const).map(() => fc.integer({ min: 0, max: 255 })))
  .map((rgb) => `#${rgb.map((one) => one.toString(16).padStart(2, '0')).join('')}`)

describe('contrast', () => {
  it('is that of WCAG 2', () => {
    expect(contrast('#000000', '#ffffff')).toBe(21)
    expect(contrast('#000', '#fff')).toBe(21)
    expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2)
    expect(contrast('none', '#ffffff')).toBe(1)
  })
})

describe.each(THEMES)('an accent of the system in %s', (name, grounds) => {
  const { page, pane, raised, text, dim } = grounds
  const least = (one: string, of: readonly string[]): number => Math.min(...of.map((ground) => contrast(one, ground)))

  it('is readable whatever its color', () => {
    fc.assert(
      fc.property(colour, (hex) => {
        const all = accentColours(hex, grounds)
        if (all === null) throw new Error('no colours')
        expect(least(all.accent, [page, pane, raised])).toBeGreaterThanOrEqual(3)
        expect(least(all.accentText, [page, pane, raised, all.selected])).toBeGreaterThanOrEqual(4.5)
        expect(contrast(all.onAccent, all.accent)).toBeGreaterThanOrEqual(4.5)
        expect(Math.min(contrast(text, all.selected), contrast(dim, all.selected))).toBeGreaterThanOrEqual(4.5)
      }),
    )
  })
  it('stays as it is where it can be read, and keeps its hue where it cannot', () => {
    const good = name === 'light' ? '#1a7f37' : '#3fb950'
    expect(accentColours(good, grounds)?.accent).toBe(good)
    const bad = name === 'light' ? '#ffee00' : '#330000'
    const mended = readable(bad, [page, pane, raised], 3)
    expect(mended).not.toBe(bad)
    const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => Number.parseInt(mended.slice(at, at + 2), 16))
    expect(name === 'light' ? r - b > 40 && Math.abs(r - g) < 30 : r - g > 40 && g === b).toBe(true)
  })
})

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

/** Relative luminance of a colour, as WCAG 2 has it. */
function luminance(hex: string): number {
  const part = (at: number) => {
    const c = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4
  }
  return 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
}
const contrast = (a: string, b: string) => {
  const [low, high] = [luminance(a), luminance(b)].toSorted((x, y) => x - y)
  return ((high ?? 0) + 0.05) / ((low ?? 0) + 0.05)
}
const css = readFileSync('src/renderer/styles/tokens.css', 'utf8')
function tokens(selector: string): Record<string, string> {
  const from = css.indexOf(`${selector} {`)
  const block = css.slice(from, css.indexOf('}', from))
  return Object.fromEntries([...block.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6})\b/g)].map((m) => [m[1] ?? '', m[2] ?? '']))
}

describe('colors', () => {
  const dark = tokens(':root')
  const themes = {
    dark,
    light: { ...dark, ...tokens(":root[data-theme='light']") },
    contrast: { ...dark, ...tokens(":root[data-theme='contrast']") },
  }
  const PAIRS = { 'green and red': ['green', 'red'], 'blue and orange': ['blue', 'orange'], mono: ['bright', 'dull'] }
  for (const [name, theme] of Object.entries(themes)) {
    it(`of directions and states reach 4.5 : 1 on every ground of ${name}`, () => {
      const found = [
        'green',
        'red',
        'blue',
        'orange',
        'bright',
        'dull',
        'ok',
        'warn',
        'bad',
        'replay',
        'text',
        'dim',
      ].flatMap((token) =>
        ['page', 'pane', 'raised'].map(
          (ground) => [token, ground, contrast(theme[token] ?? '', theme[ground] ?? '')] as const,
        ),
      )
      expect(found.filter(([, , ratio]) => !(ratio >= 4.5))).toEqual([])
    })
    it(`of up and down differ without color in the monochrome set of ${name}`, () => {
      const [up, down] = PAIRS.mono
      expect(contrast(theme[up ?? ''] ?? '', theme[down ?? ''] ?? '')).toBeGreaterThan(2)
    })
  }
})

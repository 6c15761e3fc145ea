import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

describe('texts on canvases', () => {
  it('are nowhere of a fixed size: they grow with those of the page', () => {
    const painters = globSync('src/renderer/**/*.{ts,svelte}').map((file) => ({
      file,
      text: readFileSync(file, 'utf8'),
    }))
    expect(painters.some(({ text }) => /\.font = textFont\(/.test(text))).toBe(true)
    expect(
      painters.filter(({ text }) => /\.font\s*=[^\n]*\d(px|pt|r?em)\b/.test(text)).map(({ file }) => file),
    ).toEqual([])
  })
})

import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { CHORDS, TABLES, tablesIn, withTables } from '../../../scripts/lib/guide-tables.mjs'

const FOLDER = new URL('../../../docs/guide/', import.meta.url)
const PAGES = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.md'))
  .map((name) => ({ name, text: readFileSync(new URL(name, FOLDER), 'utf8') }))

/** Keys that the platform, the symbol box or a pane handles and that aren't commands. */
const OTHER_CHORDS = new Set(['Ctrl+Enter', 'Ctrl+Space', 'Ctrl+Shift+←/→', 'Ctrl+Alt', 'Alt+Shift'])

describe('the guide', () => {
  it('has up-to-date tables', () => {
    expect(PAGES.length).toBeGreaterThan(15)
    for (const { name, text } of PAGES) expect(withTables(text), `${name}: run npm run guide`).toBe(text)
  })
  it('uses every table', () => {
    expect(PAGES.flatMap(({ text }) => tablesIn(text)).toSorted()).toEqual(Object.keys(TABLES).toSorted())
  })
  it('names only keys that exist', () => {
    const unknown = PAGES.flatMap(({ name, text }) =>
      [...text.matchAll(/`((?:Ctrl|Alt|Shift)\+?[^`]*)`/g)]
        .map(([, chord = '']) => chord)
        .filter((chord) => !CHORDS.has(chord) && !OTHER_CHORDS.has(chord) && chord !== 'Ctrl' && chord !== 'Shift')
        .map((chord) => `${name}: ${chord}`),
    )
    expect(unknown).toEqual([])
  })
  it('links only to existing pages, and from its first page to all of them', () => {
    const names = new Set(PAGES.map(({ name }) => name))
    for (const { name, text } of PAGES) {
      const links = [...text.matchAll(/\]\(([a-z-]+\.md)\)/g)].map(([, link = '']) => link)
      expect(
        links.filter((link) => !names.has(link)),
        name,
      ).toEqual([])
      if (name === 'README.md') expect([...new Set(links), 'README.md'].toSorted()).toEqual([...names].toSorted())
    }
  })
})

import { describe, expect, it } from 'vitest'
import { literalTexts } from './literal-text.ts'
import { scriptOf, scriptTexts } from './script-text.ts'

const COMPONENTS = import.meta.glob<string>('../../../../src/renderer/**/*.svelte', {
  query: '?raw',
  import: 'default',
  eager: true,
})
const SCRIPTS = import.meta.glob<string>('../../../../src/renderer/**/*.ts', {
  query: '?raw',
  import: 'default',
  eager: true,
})
/** Every file of the window is parsed. */
const LONG_MS = 60_000
const nameOf = (path: string) => path.slice(path.indexOf('/src/renderer/') + '/src/renderer/'.length)
const components = Object.entries(COMPONENTS).map(([path, source]) => ({ name: nameOf(path), source }))
const scripts = [
  ...Object.entries(SCRIPTS).map(([path, source]) => ({ name: nameOf(path), source })),
  ...components.map(({ name, source }) => ({ name, source: scriptOf(source) })),
]

/** What reads as words and is none, or is the same in every language. */
const ALLOWED: readonly {
  readonly why: string
  readonly texts: readonly string[] | RegExp
  /** The one file where it is allowed; absent: anywhere. */
  readonly where?: string
}[] = [
  { why: 'a font', texts: /"Inter Variable"/ },
  {
    why: 'names of keys, as they stand on the keyboard',
    texts: 'Enter Home End Escape Esc Tab Space Delete Del Control Shift Alt Meta Dead Unidentified'.split(' '),
  },
  {
    why: 'ids of the groups of commands, translated where they are shown',
    texts: 'General Workspace Watchlist Chart Drawing Tape Alerts Research Replay'.split(' '),
  },
  {
    why: 'ids of shared code: places of a replay, steps of a test, answers of a search',
    texts: [
      ...['next gap', 'previous gap', 'next open', 'next bookmark', 'previous bookmark', 'first frame'],
      ...['first message', 'not then'],
    ],
  },
  { why: 'a kind of what is dragged', texts: ['Files'] },
  { why: 'names of zones', texts: ['Universal', 'Zulu', 'UTC', 'GMT'] },
  { why: 'codes that are typed, the same in every language', texts: /^[A-Z ]+$/, where: 'features/palette/codes.ts' },
  { why: 'units', texts: ['MB', 'GB', 'TB'], where: 'text/format.ts' },
  { why: 'a key', texts: ['OS'], where: 'core/window/chords.ts' },
  {
    why: 'ids of the docking library',
    texts: ['HORIZONTAL', 'VERTICAL'],
    where: 'features/workspace/view/dock-view.ts',
  },
  { why: 'a form of Unicode', texts: ['NFD'], where: 'text/fuzzy-rank.ts' },
  { why: 'names of indicators', texts: /^[A-Z]+$/, where: 'features/research/TechnicalPane.svelte' },
  { why: 'the name of a lock', texts: /^tapedeck pane window / },
  {
    why: 'times that can be typed: their words are read in English',
    texts: ['14:03, 14:03:22.500 New York, 4 Nov 09:30, 2026-11-04T14:03:22Z, +5m, start or end'],
  },
  { why: 'an error that ends in the console', texts: ['the picture could not be made'] },
]
/** Examples of what to type, the same in every language. */
const EXAMPLES = [
  'BTC-USD, EURUSD, NASDAQ:AAPL',
  'eu',
  'nats://nats1.example.com,nats://nats2.example.com',
  'postgres://terminal@db.example.com/tapedeck',
]
const allowed = (text: string, name: string) =>
  ALLOWED.some(
    ({ texts, where }) =>
      (where === undefined || where === name) && (texts instanceof RegExp ? texts.test(text) : texts.includes(text)),
  )

describe('texts outside of the catalogue', () => {
  it('are found between tags and in attributes that are read, and keys are left alone', () => {
    const source = `<p class="big text" title="A hint">Words <kbd>Ctrl</kbd> {t('X')} <b aria-label={t('Y')}>5 %</b></p>`
    expect(literalTexts(source)).toEqual(['A hint', 'Words'])
    const made = "<p title={a === 'one' ? `Half ${a}` : b} class={a ? 'up' : 'down'}>{a ? 'On' : t('Y')}</p>"
    expect(literalTexts(made)).toEqual(['Half ', 'On'])
  })
  it('are found in what a component is given', () => {
    const source = `<Pane name="Key metrics of {a}" kind="chart" action={{ label: 'Try again', id: 'again' }} />`
    expect(literalTexts(source)).toEqual(['Key metrics of', 'Try again'])
  })
  it('are found in scripts: words, sentences, and what templates say around values', () => {
    const script = `
      import a from 'Not this'
      const b: 'Nor this' = c === 'No words here' ? 'Yes, words' : t('Some text')
      throw new Error('Told to us alone')
      const d = \`\${n} ms ago\` + \`\${n}px\` + 'up' + 'a-class' + 'Done.' + 'Chart' + 'REC PAUSED'
    `
    expect(scriptTexts(script)).toEqual(['Yes, words', '{} ms ago', 'Done.', 'Chart', 'REC PAUSED'])
  })
  it('are in no component', { timeout: LONG_MS }, () => {
    expect(components.length).toBeGreaterThan(100)
    const read = components.map(({ name, source }) => ({ name, texts: literalTexts(source) }))
    const found = read.map(({ name, texts }) => ({ name, texts: texts.filter((one) => !EXAMPLES.includes(one)) }))
    expect(found.filter(({ texts }) => texts.length > 0)).toEqual([])
  })
  it('are in no script, and all that is allowed is there', { timeout: LONG_MS }, () => {
    expect(scripts.length).toBeGreaterThan(250)
    const read = scripts.map(({ name, source }) => ({ name, texts: scriptTexts(source) }))
    const found = read.map(({ name, texts }) => ({ name, texts: texts.filter((one) => !allowed(one, name)) }))
    expect(found.filter(({ texts }) => texts.length > 0)).toEqual([])
    const all = read.flatMap(({ texts }) => texts)
    for (const { why, texts } of ALLOWED) {
      const there =
        texts instanceof RegExp ? [all.some((one) => texts.test(one))] : texts.map((one) => all.includes(one))
      expect([why, there.every(Boolean)]).toEqual([why, true])
    }
  })
})

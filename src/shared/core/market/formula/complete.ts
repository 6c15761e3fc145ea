/** What can be written at a place in a formula. Pure. */
import { t } from '../../../base/text.ts'
import {
  BAR_VALUES,
  barPhrase,
  declarationPhrase,
  DECLARATIONS,
  FUNCTIONS,
  functionPhrase,
  INDICATOR_FUNCTIONS,
  signatureOf,
  type BarValueName,
  type FunctionName,
} from './functions.ts'
import { WORDS, wordPhrase } from './syntax.ts'

export interface Completion {
  /** What replaces the begun word. A function's opening bracket is part of it. */
  readonly text: string
  readonly signature: string
  readonly about: string
}
export interface Completions {
  /** The begun word, as offsets. */
  readonly from: number
  readonly to: number
  readonly list: readonly Completion[]
}

const functionNames = Object.keys(FUNCTIONS) as FunctionName[] // keys of a literal object
const barValues = Object.keys(BAR_VALUES) as BarValueName[] // as above
const declarations = Object.keys(DECLARATIONS) as (keyof typeof DECLARATIONS)[] // as above

/** All completions except the formula's own names. */
export function vocabulary(): readonly Completion[] {
  const called = (name: string, about: string): Completion => ({
    text: `${name}(`,
    signature: signatureOf(name) ?? name,
    about,
  })
  return [
    ...barValues.map((name) => ({ text: name, signature: name, about: barPhrase(name) })),
    ...functionNames.map((name) => called(name, functionPhrase(name))),
    ...declarations.map((name) => called(name, declarationPhrase(name))),
    ...[...INDICATOR_FUNCTIONS.values()].map(({ name, spec }) => called(name, t(spec.title))),
    ...WORDS.map((text) => ({ text, signature: text, about: wordPhrase(text) })),
  ]
}

/** The outputs that can follow a dot at the end of a text. */
function outputsAfter(before: string): readonly string[] {
  const owner = /(?:(\w+)|(\w+)\([^()\n]*\))\.$/.exec(before)
  if (owner === null) return []
  const [, variable, called] = owner as readonly (string | undefined)[]
  const name = called ?? new RegExp(`(?:^|\\n|;)\\s*${variable}\\s*=\\s*(\\w+)\\(`).exec(before)?.[1] ?? ''
  return INDICATOR_FUNCTIONS.get(name)?.outputs ?? []
}

/** Completions of the word that ends at `caret`, best first. Returns none inside titles and comments. */
export function completionsAt(text: string, caret: number): Completions {
  const before = text.slice(0, caret)
  const [begun] = /[A-Za-z_]\w*$/.exec(before) ?? ['']
  const from = caret - begun.length
  const line = before.slice(before.lastIndexOf('\n') + 1)
  if (line.replace(/"[^"]*"/g, '').search(/["#]/) >= 0) return { from, to: caret, list: [] }
  const ahead = before.slice(0, from)
  const outputs = ahead.endsWith('.')
  const own = [...text.matchAll(/^[ \t]*([A-Za-z_]\w*)[ \t]*=(?!=)/gm)].map(([, name]) => name)
  const all = outputs
    ? outputsAfter(ahead).map((name) => ({ text: name, signature: name, about: t('Output') }))
    : [...new Set(own)]
        .filter((name) => name !== begun || own.length > 1)
        .map((name) => ({ text: name, signature: name, about: t('Value of the formula') }))
        .concat(vocabulary())
  const sought = begun.toLowerCase()
  const rank = ({ text: one, about }: Completion): number =>
    one.startsWith(sought) ? 0 : one.includes(sought) ? 1 : about.toLowerCase().includes(sought) ? 2 : 3
  const list = all
    .map((one) => ({ one, at: rank(one) }))
    .filter(({ at, one }) => at < 3 && one.text !== begun)
    .toSorted((a, b) => a.at - b.at)
    .map(({ one }) => one)
  return { from, to: caret, list }
}

/** The signature of the function call around `caret`; null outside of a call. */
export function callAt(text: string, caret: number): Completion | null {
  let closed = 0
  for (let at = caret - 1; at >= 0; at--) {
    if (text[at] === ')') closed++
    if (text[at] !== '(' || closed-- > 0) continue
    const [name] = /[A-Za-z_]\w*$/.exec(text.slice(0, at)) ?? ['']
    return vocabulary().find((one) => one.text === `${name}(`) ?? null
  }
  return null
}

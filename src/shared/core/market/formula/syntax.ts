/**
 * The text of a formula as a tree: lines of `name = expression`, `plot(…)`, or an expression. Pure, never throws, and
 * bounded: what is longer or deeper than the limits is refused.
 */
import { labelsOf, t } from '../../../base/text.ts'

/** The most characters of a formula, and the most parts of its tree. */
export const MAX_FORMULA = 4_000
const MAX_PARTS = 500
/** How deeply brackets and signs can be nested. */
const MAX_DEPTH = 40

/** From and to, as offsets in the text. */
export interface Span {
  readonly from: number
  readonly to: number
}
export interface FormulaError extends Span {
  readonly message: string
}
/** An error of a formula, thrown only within this folder. */
export class FormulaFault extends Error {
  readonly span: Span
  constructor(message: string, span: Span) {
    super(message)
    this.span = { from: span.from, to: span.to }
  }
}

export type BinaryOperator = '+' | '-' | '*' | '/' | '%' | '^' | '<' | '<=' | '>' | '>=' | '==' | '!=' | 'and' | 'or'

export type Expression = Span &
  (
    | { readonly is: 'number'; readonly value: number }
    | { readonly is: 'text'; readonly value: string }
    | { readonly is: 'name'; readonly name: string }
    | { readonly is: 'call'; readonly name: string; readonly args: readonly Expression[] }
    | { readonly is: 'output'; readonly of: Expression; readonly name: string }
    | { readonly is: 'ago'; readonly of: Expression; readonly bars: Expression }
    | { readonly is: 'unary'; readonly operator: '-' | 'not'; readonly of: Expression }
    | {
        readonly is: 'binary'
        readonly operator: BinaryOperator
        readonly left: Expression
        readonly right: Expression
      }
    | { readonly is: 'choice'; readonly when: Expression; readonly yes: Expression; readonly no: Expression }
  )
/** A line. Without a name it is drawn. */
export interface Line extends Span {
  readonly name: string | null
  readonly value: Expression
}

interface Token extends Span {
  readonly is: 'number' | 'text' | 'name' | 'sign' | 'line' | 'end'
  readonly text: string
}

// Numbers, names, texts, signs, ends of lines; between them blanks and comments.
const TOKEN =
  /[ \t\r]+|#[^\n]*|(\d+(?:\.\d+)?(?:e[+-]?\d+)?|\.\d+)|([A-Za-z_]\w*)|"([^"\n]*)"|(<=|>=|==|!=|[-+*/%^<>=?:()[\],.])|(\n|;)/giy

function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = []
  let depth = 0
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < text.length) {
    const from = TOKEN.lastIndex
    const found = TOKEN.exec(text)
    if (found === null) {
      const [sign] = [...text.slice(from)]
      throw new FormulaFault(
        sign === '"' ? t('Close this text with another ".') : t('“{sign}” has no meaning here.', { sign }),
        { from, to: from + sign.length },
      )
    }
    const to = TOKEN.lastIndex
    const [, number, name, quoted, sign, line] = found as readonly (string | undefined)[]
    if (sign === '(' || sign === '[') depth++
    if (sign === ')' || sign === ']') depth = Math.max(0, depth - 1)
    if (number !== undefined) tokens.push({ is: 'number', text: number, from, to })
    else if (name !== undefined) tokens.push({ is: 'name', text: name, from, to })
    else if (quoted !== undefined) tokens.push({ is: 'text', text: quoted, from, to })
    else if (sign !== undefined) tokens.push({ is: 'sign', text: sign, from, to })
    // A line continues within brackets.
    else if (line !== undefined && depth === 0) tokens.push({ is: 'line', text: line, from, to })
  }
  tokens.push({ is: 'end', text: '', from: text.length, to: text.length })
  return tokens
}

/** How tightly operators bind, from loosest to tightest; each level from left to right. */
const LEVELS: readonly (readonly BinaryOperator[])[] = [
  ['or'],
  ['and'],
  ['<', '<=', '>', '>=', '==', '!='],
  ['+', '-'],
  ['*', '/', '%'],
]
/** Words that can't be names. */
export const WORDS = ['and', 'or', 'not'] as const
export const wordPhrase = labelsOf({
  and: '1 if both conditions hold, else 0',
  or: '1 if one of the conditions holds, else 0',
  not: '1 if the condition doesn’t hold, else 0',
})
const isWord = (text: string): boolean => WORDS.some((word) => word === text)

class Reader {
  readonly #tokens: readonly Token[]
  #at = 0
  #parts = 0
  #depth = 0

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens
  }

  get next(): Token {
    return this.#tokens[this.#at]
  }
  take(): Token {
    return this.#tokens[this.#at++]
  }
  #is(text: string): boolean {
    return this.next.text === text && (this.next.is === 'sign' || this.next.is === 'name')
  }
  #isOver(): boolean {
    return this.next.is === 'line' || this.next.is === 'end'
  }
  #skip(text: string): boolean {
    if (!this.#is(text)) return false
    this.#at++
    return true
  }
  #expect(text: string): Token {
    if (!this.#is(text)) throw this.unexpected(text)
    return this.take()
  }
  unexpected(wanted?: string): FormulaFault {
    const { next } = this
    const found = this.#isOver() ? t('the end of the line') : `“${next.text}”`
    return new FormulaFault(
      wanted === undefined
        ? t('Expected a value instead of {found}.', { found })
        : t('Expected “{wanted}” instead of {found}.', { wanted, found }),
      next.to > next.from ? next : { from: Math.max(0, next.from - 1), to: next.to },
    )
  }
  #made<E extends Expression>(expression: E): E {
    if (++this.#parts > MAX_PARTS) throw new FormulaFault(t('The formula has too many parts. Shorten it.'), expression)
    return expression
  }
  /** Reads something that can contain itself. */
  #deeper(read: () => Expression): Expression {
    if (++this.#depth > MAX_DEPTH) throw new FormulaFault(t('Brackets are nested too deeply.'), this.next)
    const value = read()
    this.#depth--
    return value
  }

  expression(): Expression {
    return this.#deeper(() => {
      const when = this.#binary(0)
      if (!this.#skip('?')) return when
      const yes = this.expression()
      this.#expect(':')
      const no = this.expression()
      return this.#made({ is: 'choice', when, yes, no, from: when.from, to: no.to })
    })
  }

  #binary(level: number): Expression {
    const operators = LEVELS.at(level)
    if (operators === undefined) return this.#unary()
    let left = this.#binary(level + 1)
    for (;;) {
      const operator = operators.find((one) => this.#is(one))
      if (operator === undefined) return left
      this.take()
      const right = this.#binary(level + 1)
      left = this.#made({ is: 'binary', operator, left, right, from: left.from, to: right.to })
    }
  }

  #unary(): Expression {
    const { from } = this.next
    const operator = this.#is('-') ? '-' : this.#is('not') ? 'not' : null
    if (operator === null) return this.#power()
    this.take()
    const of = this.#deeper(() => this.#unary())
    return this.#made({ is: 'unary', operator, of, from, to: of.to })
  }

  /** Powers bind tighter than a sign, and from right to left: -2^2 is -4. */
  #power(): Expression {
    const left = this.#suffixed()
    if (!this.#skip('^')) return left
    const right = this.#deeper(() => this.#unary())
    return this.#made({ is: 'binary', operator: '^', left, right, from: left.from, to: right.to })
  }

  #suffixed(): Expression {
    let of = this.#value()
    for (;;) {
      if (this.#skip('[')) {
        const bars = this.expression()
        const { to } = this.#expect(']')
        of = this.#made({ is: 'ago', of, bars, from: of.from, to })
      } else if (this.#skip('.')) {
        const { is, text, to } = this.next
        if (is !== 'name') throw this.unexpected(t('an output'))
        this.take()
        of = this.#made({ is: 'output', of, name: text, from: of.from, to })
      } else return of
    }
  }

  #value(): Expression {
    const token = this.next
    const { from, to, text } = token
    if (token.is === 'number') {
      this.take()
      return this.#made({ is: 'number', value: Number(text), from, to })
    }
    if (token.is === 'text') {
      this.take()
      return this.#made({ is: 'text', value: text, from, to })
    }
    if (token.is === 'name' && !isWord(text)) {
      this.take()
      if (!this.#skip('(')) return this.#made({ is: 'name', name: text, from, to })
      const args: Expression[] = []
      if (!this.#is(')'))
        do {
          args.push(this.expression())
        } while (this.#skip(','))
      return this.#made({ is: 'call', name: text, args, from, to: this.#expect(')').to })
    }
    if (this.#skip('(')) {
      const value = this.expression()
      this.#expect(')')
      return value
    }
    throw this.unexpected()
  }

  lines(): readonly Line[] {
    const lines: Line[] = []
    for (;;) {
      while (this.next.is === 'line') this.take()
      if (this.next.is === 'end') return lines
      const [first, second] = [this.next, this.#tokens[this.#at + 1]]
      const isNamed = first.is === 'name' && !isWord(first.text) && second.is === 'sign' && second.text === '='
      if (isNamed) this.#at += 2
      const value = this.expression()
      lines.push({ name: isNamed ? first.text : null, value, from: first.from, to: value.to })
      if (!this.#isOver()) throw this.unexpected(t('the end of the line'))
    }
  }
}

/** The lines of a formula. Throws a FormulaFault at the first error. */
export function linesOf(text: string): readonly Line[] {
  if (text.length > MAX_FORMULA)
    throw new FormulaFault(t('A formula has up to {most} characters.', { most: MAX_FORMULA }), {
      from: MAX_FORMULA,
      to: text.length,
    })
  return new Reader(tokensOf(text)).lines()
}

/** The line and column of an offset, both from 1. */
export function placeIn(text: string, offset: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, offset).split('\n')
  return { line: before.length, column: before[before.length - 1].length + 1 }
}

/** Checks a formula and turns it into an indicator. It can't call anything but the functions of its table. Pure. */
import { t } from '../../../base/text.ts'
import { ABSENT, stepping, type BarValues, type Indicator, type Take } from '../indicators/indicator.ts'
import type { DayOf } from '../indicators/indicators.ts'
import { PRICES, takesWhole, utcDay, type IndicatorSpec, type Parameter } from '../indicators/row.ts'
import {
  ago,
  BAR_VALUES,
  DECLARATIONS,
  functionOf,
  isBarValue,
  settableOf,
  INDICATOR_FUNCTIONS,
  signatureOf,
  type IndicatorFunction,
} from './functions.ts'
import { known, operate, readOf, truth, type Value } from './values.ts'
import { FormulaFault, linesOf, type Expression, type FormulaError, type Line, type Span } from './syntax.ts'

/** The most lines that a formula draws, and the most settings it has. */
const MAX_OUTPUTS = 8
export const MAX_INPUTS = 12
/** How many bars one function can look back, and all together. */
const LONGEST = 5_000
const ALL_BARS = 200_000

/** A formula as a row of an indicator. */
export type FormulaSpec = Pick<
  IndicatorSpec,
  | 'place'
  | 'parameters'
  | 'outputs'
  | 'takesPrice'
  | 'usualPrice'
  | 'unit'
  | 'needsSides'
  | 'isSideless'
  | 'drawn'
  | 'create'
> & {
  /** The levels with these values of its settings; none if they make the formula impossible. Default: `drawn.levels`. */
  readonly levelsOf?: (values: readonly number[]) => readonly number[]
  /**
   * How many bars its functions look back, all together, with these values of its settings: what a bar costs in time and
   * memory. Infinity if they make the formula impossible.
   */
  readonly barsOf?: (values: readonly number[]) => number
}
export type Compiled =
  | { readonly ok: true; readonly spec: FormulaSpec }
  | { readonly ok: false; readonly error: FormulaError }

const fault = (message: string, at: Span): FormulaFault => new FormulaFault(message, at)

/**
 * A bar with the value that an indicator uses instead of its price. It is in the bar because indicators keep bars.
 */
interface SourcedBar extends BarValues {
  readonly source: number
}
const withSource = (bar: BarValues, source: number): SourcedBar => ({ ...bar, source })
const sourceOf = (bar: BarValues): number => (bar as SourcedBar).source // it only gets bars of `withSource`

/** One use of a formula with the values of its settings. */
class Build {
  readonly inputs: Parameter[] = []
  readonly plots: { readonly title: string; readonly value: Value }[] = []
  readonly levels: number[] = []
  /** The indicators that it calls. Gaps are reported to them. */
  readonly indicators: Indicator[] = []
  needsSides = false
  readonly #names = new Map<string, Value>()
  /** Computes the named values of a bar, in the order of the lines. */
  readonly steps: ((bar: BarValues, take: Take) => void)[] = []
  readonly #given: readonly number[]
  readonly #dayOf: DayOf
  readonly #openOf: DayOf
  #bars = 0

  /** How many bars its functions look back, all together. */
  get bars(): number {
    return this.#bars
  }

  constructor(given: readonly number[], dayOf: DayOf, openOf: DayOf) {
    this.#given = given
    this.#dayOf = dayOf
    this.#openOf = openOf
  }

  line(line: Line): void {
    if (line.name !== null) return this.#name(line, line.name)
    const { value } = line
    if (value.is === 'call' && value.name === 'level') {
      const [level] = this.#fixedCall(value, 1, 1)
      const at = this.#constant(level)
      if (!Number.isFinite(at)) throw fault(t('This has no value, so there is no level to draw.'), level)
      this.levels.push(at)
      return
    }
    const isPlot = value.is === 'call' && value.name === 'plot'
    const args = isPlot ? this.#fixedCall(value, 1, 2) : [value]
    const [title] = args
    if (args.length === 2 && title.is !== 'text') throw fault(t('Write the title in quotation marks.'), title)
    const shown = this.#value(args[args.length - 1])
    if (this.plots.length === MAX_OUTPUTS)
      throw fault(t('A formula draws up to {most} lines.', { most: MAX_OUTPUTS }), line)
    const usual = value.is === 'name' ? value.name : t('Value {number}', { number: this.plots.length + 1 })
    this.plots.push({ title: args.length === 2 && title.is === 'text' ? title.value : usual, value: shown })
  }

  #name(line: Line, name: string): void {
    const at = { from: line.from, to: line.from + name.length }
    if (this.#names.has(name)) throw fault(t('“{name}” already has a value.', { name }), at)
    if (isBarValue(name) || signatureOf(name) !== undefined)
      throw fault(t('“{name}” is already taken. Choose another name.', { name }), at)
    const { value } = line
    if (value.is === 'call' && value.name === 'input') return void this.#names.set(name, this.#input(value, name))
    const made = this.#value(value)
    if (made.is === 'constant') return void this.#names.set(name, made)
    // Compute it once per bar, however often it is used.
    if (made.is === 'series') {
      let now = ABSENT
      this.steps.push((bar, take) => (now = made.read(bar, take)))
      this.#names.set(name, { is: 'series', read: () => now })
      return
    }
    let all: readonly number[] = []
    this.steps.push((bar, take) => (all = made.read(bar, take)))
    this.#names.set(name, { is: 'outputs', of: made.of, read: () => all })
  }

  #input(call: Expression & { is: 'call' }, key: string): Value {
    const [title, ...numbers] = this.#fixedCall(call, 2, 4)
    if (title.is !== 'text') throw fault(t('Write the title in quotation marks.'), title)
    if (this.inputs.length === MAX_INPUTS)
      throw fault(t('A formula has up to {most} settings.', { most: MAX_INPUTS }), call)
    const given = numbers.map((one) => this.#constant(one))
    const [value, least = Math.min(1, value), most = Math.max(LONGEST, value)] = given
    if (!(value >= least && value <= most))
      throw fault(t('The default has to be between {least} and {most}.', { least, most }), numbers[0])
    const set = this.#given.at(this.inputs.length) ?? value
    this.inputs.push({ key, title: title.value, value, least, most, isWhole: given.every(Number.isInteger) })
    return { is: 'constant', value: set }
  }

  #fixedCall(
    { name, args, from, to }: Expression & { is: 'call' },
    least: number,
    most: number,
  ): readonly Expression[] {
    if (args.length < least || args.length > most)
      throw fault(t('Write {signature}.', { signature: signatureOf(name) ?? name }), { from, to })
    return args
  }

  #constant(expression: Expression): number {
    const value = this.#value(expression)
    if (value.is !== 'constant')
      throw fault(t('This has to be a number that doesn’t change from bar to bar.'), expression)
    return value.value
  }

  /** A number of bars, which counts toward the limit of all functions together. */
  #length(expression: Expression, least = 1): number {
    const length = this.#constant(expression)
    if (!Number.isInteger(length) || length < least || length > LONGEST)
      throw fault(t('This has to be an integer from {least} to {most}.', { least, most: LONGEST }), expression)
    this.#look(length, expression)
    return length
  }
  #look(bars: number, at: Span): void {
    this.#bars += bars
    if (this.#bars > ALL_BARS) throw fault(t('The formula looks back at too many bars. Use shorter lengths.'), at)
  }

  #value(expression: Expression): Value {
    switch (expression.is) {
      case 'number':
        return { is: 'constant', value: expression.value }
      case 'text':
        throw fault(t('Only a title can be text in quotation marks.'), expression)
      case 'name':
        return this.#named(expression, expression.name)
      case 'call':
        return this.#call(expression)
      case 'output':
        return this.#output(expression, expression.of, expression.name)
      case 'ago': {
        const of = this.#value(expression.of)
        const before = ago(this.#length(expression.bars, 0))
        const read = readOf(of)
        return { is: 'series', read: (bar, take) => before(read(bar, take), take) }
      }
      case 'unary': {
        const { operator, of } = expression
        return this.#mapped([this.#value(of)], ([x]) =>
          operator === '-' ? -x : Number.isNaN(x) ? NaN : truth(x === 0),
        )
      }
      case 'binary': {
        const { operator, left, right } = expression
        return this.#mapped([this.#value(left), this.#value(right)], ([a, b]) => operate(operator, a, b))
      }
      case 'choice': {
        const { when, yes, no } = expression
        return this.#mapped(
          [when, yes, no].map((one) => this.#value(one)),
          ([condition, a, b]) => (Number.isNaN(condition) ? NaN : condition !== 0 ? a : b),
        )
      }
    }
  }

  /** A function without state. It reads all of its values on every bar, because values with state must see each bar. */
  #mapped(values: readonly Value[], of: (values: readonly number[]) => number): Value {
    if (values.every((value) => value.is === 'constant'))
      return { is: 'constant', value: of(values.map(({ value }) => value)) }
    const reads = values.map(readOf)
    return { is: 'series', read: (bar, take) => of(reads.map((read) => read(bar, take))) }
  }

  #named(at: Span, name: string): Value {
    const own = this.#names.get(name)
    if (own) return own
    if (isBarValue(name)) {
      if (name === 'delta') this.needsSides = true
      return { is: 'series', read: BAR_VALUES[name] }
    }
    const signature = signatureOf(name)
    throw fault(
      signature === undefined
        ? t('Unknown name “{name}”.', { name })
        : t('“{name}” is a function. Write {signature}.', { name, signature }),
      at,
    )
  }

  #call(call: Expression & { is: 'call' }): Value {
    const { name, args } = call
    if (Object.hasOwn(DECLARATIONS, name))
      throw fault(
        name === 'input'
          ? t('Give a setting a name on a line of its own: length = input("Length", 14).')
          : t('{name} needs a line of its own.', { name }),
        call,
      )
    const indicator = INDICATOR_FUNCTIONS.get(name)
    if (indicator) return this.#indicator(call, indicator)
    const row = functionOf(name)
    if (!row) throw fault(t('Unknown function “{name}”.', { name }), call)
    const isOpen = row.args.at(-1) === '…'
    const most = isOpen ? Infinity : row.args.length
    this.#fixedCall(call, (isOpen ? row.args.length - 1 : most) - (row.optional ?? 0), most)
    const hasLength = row.hasLength === true && args.length === row.args.length
    const length = hasLength ? this.#length(args[args.length - 1]) : 1
    const values = (hasLength ? args.slice(0, -1) : args).map((one) => this.#value(one))
    const step = row.create(length)
    if (row.isPlain) return this.#mapped(values, (numbers) => known(step(numbers, 'peek')))
    const reads = values.map(readOf)
    return {
      is: 'series',
      read: (bar, take) =>
        step(
          reads.map((read) => read(bar, take)),
          take,
        ),
    }
  }

  #indicator(call: Expression & { is: 'call' }, of: IndicatorFunction): Value {
    const { spec } = of
    const first = spec.takesPrice ? 1 : 0
    const { parameters } = spec
    const settable = settableOf(spec)
    const args = this.#fixedCall(call, first, first + settable.length)
    const source = first === 1 ? readOf(this.#value(args[0])) : null
    const values: number[] = []
    for (const [i, { value, least, most, follows }] of parameters.entries()) {
      const at = first + settable.indexOf(parameters[i])
      const arg = at < first || at >= args.length ? undefined : args[at]
      const usual = follows === undefined ? value : values[parameters.findIndex(({ key }) => key === follows)]
      const given = arg === undefined ? usual : this.#constant(arg)
      const isWhole = takesWhole(parameters[i])
      if (!(given >= least && given <= most) || (isWhole && !Number.isInteger(given)))
        throw fault(
          isWhole
            ? t('This has to be an integer from {least} to {most}.', { least, most })
            : t('This has to be a number from {least} to {most}.', { least, most }),
          arg ?? call,
        )
      if (isWhole && settable.includes(parameters[i])) this.#look(given, call)
      values.push(given)
    }
    if (spec.needsSides) this.needsSides = true
    const indicator = spec.create(
      values,
      source === null ? PRICES[spec.usualPrice] : sourceOf,
      this.#dayOf,
      this.#openOf,
    )
    this.indicators.push(indicator)
    const nothing = spec.outputs.map(() => ABSENT)
    return {
      is: 'outputs',
      of,
      read(bar, take) {
        if (source === null) return indicator[take](bar)
        const value = source(bar, take)
        // Skip bars without a value, so the next value follows the previous one.
        return Number.isNaN(value) ? nothing : indicator[take](withSource(bar, value))
      },
    }
  }

  #output(at: Span, of: Expression, name: string): Value {
    const value = this.#value(of)
    if (value.is !== 'outputs') throw fault(t('“{name}” has no outputs. Only indicators have them.', { name }), at)
    const { outputs } = value.of
    const index = outputs.indexOf(name)
    if (index < 0)
      throw fault(
        t('{indicator} has no output “{name}”. It has {outputs}.', {
          indicator: value.of.name,
          name,
          outputs: outputs.join(', '),
        }),
        at,
      )
    return { is: 'series', read: (bar, take) => value.read(bar, take)[index] }
  }
}

function build(lines: readonly Line[], given: readonly number[], dayOf: DayOf, openOf: DayOf): Build {
  const built = new Build(given, dayOf, openOf)
  for (const line of lines) built.line(line)
  return built
}

/** Null if these values of its settings make a formula impossible. */
function tried(lines: readonly Line[], values: readonly number[]): Build | null {
  try {
    return build(lines, values, utcDay, utcDay)
  } catch (thrown) {
    if (thrown instanceof FormulaFault) return null
    throw thrown
  }
}

function indicatorOf({ steps, plots, indicators }: Build): Indicator {
  const reads = plots.map(({ value }) => readOf(value))
  return {
    ...stepping((bar: BarValues, take) => {
      for (const step of steps) step(bar, take)
      return reads.map((read) => read(bar, take))
    }),
    gap: () => indicators.forEach((one) => one.gap?.()),
    lead: (trades) => indicators.forEach((one) => one.lead?.(trades)),
  }
}

/**
 * Checks a formula with the defaults of its settings. `create` throws an Error if other values of its settings make a
 * length impossible.
 */
export function compileFormula(text: string): Compiled {
  try {
    const lines = linesOf(text)
    const built = build(lines, [], utcDay, utcDay)
    if (built.plots.length === 0)
      throw fault(t('The formula draws nothing. End it with a value.'), { from: 0, to: text.length })
    const { inputs, plots, levels, needsSides } = built
    const spec: FormulaSpec = {
      place: 'own',
      parameters: inputs,
      outputs: plots.map(({ title }) => title),
      takesPrice: false,
      usualPrice: 'close',
      unit: 'price',
      ...(needsSides ? { needsSides } : {}),
      drawn: { levels },
      levelsOf: (values) => tried(lines, values)?.levels ?? [],
      barsOf: (values) => tried(lines, values)?.bars ?? Infinity,
      create: (values, _price, dayOf = utcDay, openOf = dayOf) => indicatorOf(build(lines, values, dayOf, openOf)),
    }
    return { ok: true, spec }
  } catch (thrown) {
    if (!(thrown instanceof FormulaFault)) throw thrown
    return { ok: false, error: { message: thrown.message, ...thrown.span } }
  }
}

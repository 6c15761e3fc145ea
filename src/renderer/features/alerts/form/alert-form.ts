/** Converts an alert to the text fields of its dialog and back. Pure. */
import type { IndicatorSpec, PRICES } from '../../../../shared/core/market/indicators/row.ts'
import { INDICATORS, parameterValues } from '../../../../shared/core/market/indicators/table.ts'
import type { Interval } from '../../../../shared/core/market/market.ts'
import type { AlertAction } from '../../../../shared/features/alerts/actions.ts'
import {
  MIN_MS,
  LONGEST_WITHIN_MS,
  type AlertCondition,
  type AlertDirection,
  type AlertDraft,
  type AlertIndicatorId,
  type AlertKind,
  type AlertPrice,
  type AlertSound,
  type AlertLine,
} from '../../../../shared/features/alerts/types.ts'
import { formulaSpec, unwatchable } from '../../../../shared/features/alerts/formula-line.ts'
import type { InstrumentId } from '../../../../shared/base/units.ts'
import { t } from '../../../../shared/base/text.ts'
import { parseNumber } from '../../../text/number-entry.ts'
import { parseDuration, durationText } from './typed-values.ts'

/** The fields of a line of an indicator or a formula, as typed. */
export interface LineForm {
  id: AlertIndicatorId | 'formula'
  values: string[]
  price: keyof typeof PRICES
  output: number
  /** Of a formula. */
  name: string
  text: string
}

export interface AlertForm {
  kind: AlertKind
  of: AlertPrice
  direction: AlertDirection
  level: string
  percent: string
  within: string
  unit: 'price' | 'percent'
  above: string
  barsOf: 'trade' | 'bid' | 'ask' | 'mid'
  interval: Interval
  line: LineForm
  against: 'level' | 'price' | 'line'
  other: LineForm
  lineLevel: string
  on: 'close' | 'record'
  drawing: string
  /** For drawings: the scale on which their lines are straight. */
  scale: 'linear' | 'log'
  hours: 'all' | 'open'
  after: string
  days: string
  again: boolean
  rest: string
  back: string
  note: string
  sound: AlertSound
  system: boolean
  log: boolean
  flash: boolean
  action: AlertAction | 'none'
}

export type FormField =
  | 'level'
  | 'percent'
  | 'within'
  | 'above'
  | 'line'
  | 'other'
  | 'lineLevel'
  | 'drawing'
  | 'after'
  | 'days'
  | 'rest'
  | 'back'
export type Problems = Readonly<Partial<Record<FormField, string>>>

/** What a line can be chosen and set by: the row of an indicator, or a formula. A formula with an error has nothing. */
export function lineRow({ id, text }: Pick<LineForm, 'id' | 'text'>): LineRow {
  return id === 'formula' ? (formulaSpec(text) ?? NO_ROW) : INDICATORS[id]
}
type LineRow = Pick<IndicatorSpec, 'parameters' | 'outputs' | 'takesPrice' | 'drawn'>
const NO_ROW: LineRow = { parameters: [], outputs: [], takesPrice: false }

export function lineForm(line: AlertLine): LineForm {
  const { id, values, output } = line
  const typed = { id, values: values.map(String), output }
  return line.id === 'formula'
    ? { ...typed, price: 'close', name: line.name, text: line.text }
    : { ...typed, price: line.price, name: '', text: '' }
}

/** An indicator with its usual parameters. */
export function indicatorForm(id: AlertIndicatorId): LineForm {
  const values = INDICATORS[id].parameters.map(({ value }) => String(value))
  return { id, values, price: 'close', output: 0, name: '', text: '' }
}

/** A formula with these values of its settings, by key; its defaults where absent. */
export function formulaForm(name: string, text: string, given: Readonly<Record<string, number>> = {}): LineForm {
  const values = parameterValues(lineRow({ id: 'formula', text }), given).map(String)
  return { id: 'formula', values, price: 'close', output: 0, name, text }
}

/** The line with another text of its formula. Settings keep their values by key. */
export function withFormula(line: LineForm, name: string, text: string): LineForm {
  const before = lineRow(line).parameters
  const given = Object.fromEntries(before.map(({ key }, i) => [key, parseNumber(line.values[i] ?? '')]))
  const made = formulaForm(name, text, given)
  return { ...made, output: line.output < lineRow(made).outputs.length ? line.output : 0 }
}

const EMPTY: AlertForm = {
  kind: 'price',
  of: 'last',
  direction: 'either',
  level: '',
  percent: '1',
  within: '5m',
  unit: 'price',
  above: '',
  barsOf: 'trade',
  interval: '1m',
  line: indicatorForm('rsi'),
  against: 'level',
  other: indicatorForm('sma'),
  lineLevel: '70',
  on: 'close',
  drawing: '',
  scale: 'linear',
  hours: 'open',
  after: '30s',
  days: '3',
  again: false,
  rest: '1m',
  back: '0',
  note: '',
  sound: 'chime',
  system: true,
  log: true,
  flash: true,
  action: 'none',
}

/** The initial fields of the dialog. */
export function formOf(draft: AlertDraft): AlertForm {
  const { condition, repeat, note, sound, system, log, flash, action = 'none' } = draft
  const form: AlertForm = {
    ...structuredClone(EMPTY),
    kind: condition.is,
    again: repeat !== null,
    rest: durationText(repeat?.restMs ?? 60_000),
    back: String(repeat?.backPercent ?? 0),
    note,
    sound,
    system,
    log,
    flash,
    action,
  }
  switch (condition.is) {
    case 'price': {
      const { of, direction, level } = condition
      return { ...form, of, direction, level: level > 0 ? String(level) : '' }
    }
    case 'move': {
      const { of, direction, percent, withinMs } = condition
      return { ...form, of, direction, percent: String(percent), within: durationText(withinMs) }
    }
    case 'spread':
      return { ...form, above: String(condition.above), unit: condition.unit }
    case 'volume':
      return { ...form, above: String(condition.above), within: durationText(condition.withinMs) }
    case 'indicator': {
      const { of, interval, line, against, direction, on } = condition
      return {
        ...form,
        barsOf: of,
        interval,
        line: lineForm(line),
        against: against.is,
        other: against.is === 'line' ? lineForm(against.line) : form.other,
        lineLevel: against.is === 'level' ? String(against.level) : form.lineLevel,
        direction,
        on,
      }
    }
    case 'drawing': {
      const { of, drawing, direction, scale = 'linear', hours = 'all' } = condition
      return { ...form, of, drawing, direction, scale, hours }
    }
    case 'stale':
      return { ...form, after: durationText(condition.afterMs) }
    case 'earnings':
      return { ...form, days: String(condition.days) }
  }
}

class Reader {
  readonly problems: Partial<Record<FormField, string>> = {}

  number(field: FormField, typed: string, above0: boolean): number {
    const value = parseNumber(typed)
    if (!Number.isFinite(value) || (above0 && value <= 0)) {
      this.problems[field] = t(above0 ? 'Enter a number above zero.' : 'Enter a number.')
    }
    return value
  }
  duration(field: FormField, typed: string, least: number, most: number, why: string): number {
    const ms = Math.round(parseDuration(typed))
    if (!(ms >= least && ms <= most)) this.problems[field] = why
    return ms
  }
  line(field: 'line' | 'other', line: LineForm): AlertLine {
    const { id, price, output, name, text } = line
    const values = lineRow(line).parameters.map(({ least, most }, i) => {
      const value = parseNumber(line.values[i] ?? '')
      if (!(value >= least && value <= most)) this.problems[field] = t('Enter {least} to {most}.', { least, most })
      return value
    })
    if (id !== 'formula') return { id, values, price, output }
    const problem = this.problems[field] ?? unwatchable(text, values)
    if (problem !== null) this.problems[field] = problem
    return { id, name, text, values, output }
  }
}

function conditionOf(form: AlertForm, read: Reader): AlertCondition {
  const { of, direction } = form
  const within = () =>
    read.duration(
      'within',
      form.within,
      MIN_MS,
      LONGEST_WITHIN_MS,
      t('Enter a time from 1 s to 24 h, such as 30s, 5m or 2h.'),
    )
  switch (form.kind) {
    case 'price':
      return { is: 'price', of, level: read.number('level', form.level, true), direction }
    case 'move':
      return { is: 'move', of, percent: read.number('percent', form.percent, true), withinMs: within(), direction }
    case 'spread':
      return { is: 'spread', above: read.number('above', form.above, true), unit: form.unit }
    case 'volume':
      return { is: 'volume', above: read.number('above', form.above, true), withinMs: within() }
    case 'indicator': {
      const against =
        form.against === 'level'
          ? { is: 'level' as const, level: read.number('lineLevel', form.lineLevel, false) }
          : form.against === 'price'
            ? { is: 'price' as const }
            : { is: 'line' as const, line: read.line('other', form.other) }
      const line = read.line('line', form.line)
      return { is: 'indicator', of: form.barsOf, interval: form.interval, line, against, direction, on: form.on }
    }
    case 'drawing':
      if (form.drawing === '') read.problems.drawing = t('Choose a drawing.')
      return { is: 'drawing', of, drawing: form.drawing, direction, scale: form.scale, hours: form.hours }
    case 'stale':
      return {
        is: 'stale',
        afterMs: read.duration(
          'after',
          form.after,
          0,
          LONGEST_WITHIN_MS,
          t('Enter a time up to 24 h, such as 0s, 30s or 5m.'),
        ),
      }
    case 'earnings': {
      const days = parseNumber(form.days)
      if (!Number.isInteger(days) || days < 0 || days > 60) read.problems.days = t('Enter whole days from 0 to 60.')
      return { is: 'earnings', days }
    }
  }
}

/** Parses the fields to an alert. Returns an error per invalid field otherwise. */
export function readForm(
  form: AlertForm,
  instrument: InstrumentId,
  expiresMs: number | null,
): { readonly draft: AlertDraft | null; readonly problems: Problems } {
  const read = new Reader()
  const condition = conditionOf(form, read)
  const restMs = form.again
    ? read.duration(
        'rest',
        form.rest,
        MIN_MS,
        604_800_000,
        t('Enter a time from 1 s to 7 days, such as 30s, 5m or 2h.'),
      )
    : 0
  const backPercent = form.again && form.kind === 'price' ? parseNumber(form.back) : 0
  if (!(backPercent >= 0 && backPercent <= 50)) read.problems.back = t('Enter 0 to 50 percent.')
  const { note, sound, system, log, flash, action } = form
  const draft: AlertDraft = {
    instrument,
    condition,
    repeat: form.again ? { restMs, backPercent } : null,
    expiresMs,
    note: note.trim(),
    sound,
    system,
    log,
    flash,
    ...(action === 'none' ? {} : { action }),
    enabled: true,
  }
  return { draft: Object.keys(read.problems).length === 0 ? draft : null, problems: read.problems }
}

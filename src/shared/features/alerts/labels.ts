/**
 * Describes alerts in sentences: what one waits for and what happened. For windows, notifications, the log and the
 * command line.
 */
import { INDICATORS } from '../../core/market/indicators/table.ts'
import { formulaSpec } from './formula-line.ts'
import { alertPhrase } from './texts.ts'
import { durationLabel } from '../../base/duration-label.ts'
import { t } from '../../base/text.ts'
import { gapPhrase } from '../../core/status/gap-texts.ts'
import type {
  AlertCondition,
  AlertEvent,
  AlertLine,
  AlertPrice,
  AlertState,
  FormulaLine,
  SuspensionCause,
} from './types.ts'

/** Number formats: prices with the decimals of their instrument, everything else plain. */
export interface AlertNumbers {
  price(value: number): string
  plain(value: number): string
}

/** Plain numbers, for files and terminals. */
export const PLAIN_NUMBERS: AlertNumbers = { price: String, plain: (value) => String(+value.toPrecision(8)) }

const priceWord = (of: AlertPrice): string => alertPhrase(`alert.price.${of}`)

/** "SMA 20", "MACD 12, 26, 9 signal", "Z-score 20". */
function lineLabel(line: AlertLine): string {
  if (line.id === 'formula') return formulaLabel(line)
  const { id, values, price, output } = line
  const row = INDICATORS[id]
  const name =
    row.outputs.length > 1 && output > 0
      ? `${row.outputs[0]} ${values.join(', ')} ${row.outputs[output]}`
      : `${row.outputs[output]} ${values.join(', ')}`
  return price === 'close' || !row.takesPrice ? name : t('{line} of {price}', { line: name, price })
}

/** A formula with one line and no name is called as that line, if the line has a name. */
function formulaLabel({ name, text, values, output }: FormulaLine): string {
  const outputs = formulaSpec(text)?.outputs ?? []
  const [first] = outputs
  const isNamed = outputs.length === 1 && first !== t('Value {number}', { number: 1 })
  const own = name || (isNamed ? first : t('Formula'))
  return [own, values.join(', '), ...(outputs.length > 1 ? [outputs[output]] : [])]
    .filter((part) => part !== '')
    .join(' ')
}

/** The condition of an alert, such as "Last rises to 64,000". `drawing`: the name of its drawing, if known. */
export function conditionLabel(condition: AlertCondition, numbers: AlertNumbers, drawing = t('a drawing')): string {
  switch (condition.is) {
    case 'price': {
      const level = numbers.price(condition.level)
      return alertPhrase(`alert.cross.${condition.direction}`, { of: priceWord(condition.of), level })
    }
    case 'move': {
      const { of, percent, withinMs, direction } = condition
      const values = { of: priceWord(of), percent: numbers.plain(percent), time: durationLabel(withinMs) }
      return alertPhrase(`alert.move.${direction}`, values)
    }
    case 'spread':
      return condition.unit === 'price'
        ? t('Spread reaches {level}', { level: numbers.price(condition.above) })
        : t('Spread reaches {percent} %', { percent: numbers.plain(condition.above) })
    case 'volume': {
      const level = numbers.plain(condition.above)
      return t('Volume reaches {level} within {time}', { level, time: durationLabel(condition.withinMs) })
    }
    case 'indicator': {
      const { line, against, direction, interval, of, on } = condition
      const other =
        against.is === 'level'
          ? numbers.plain(against.level)
          : against.is === 'price'
            ? t('the close')
            : lineLabel(against.line)
      const bars = of === 'trade' ? interval : t('{interval} of {of}', { interval, of })
      const what = alertPhrase(`alert.indicator.${direction}`, { line: lineLabel(line), other, bars })
      return on === 'record' ? t('{what}, within the bar', { what }) : what
    }
    case 'drawing': {
      const what = alertPhrase(`alert.drawing.${condition.direction}`, { of: priceWord(condition.of), drawing })
      return condition.scale === 'log' ? t('{what}, straight on a logarithmic scale', { what }) : what
    }
    case 'stale':
      return condition.afterMs === 0
        ? t('Feed is stale')
        : t('Feed is stale for {time}', { time: durationLabel(condition.afterMs) })
    case 'earnings':
      return condition.days === 0
        ? t('Earnings today')
        : t({ one: 'Earnings within {count} day', other: 'Earnings within {count} days' }, { count: condition.days })
  }
}

/** The value it fired at, such as "64,001.50", "1.2 %" or "for 30 s". */
export function measureLabel(condition: AlertCondition, value: number, numbers: AlertNumbers): string {
  const percent = (n: number) => `${n < 0 ? '−' : ''}${numbers.plain(+Math.abs(n).toPrecision(3))} %`
  switch (condition.is) {
    case 'price':
    case 'drawing':
      return numbers.price(value)
    case 'move':
      return percent(value)
    case 'spread':
      return condition.unit === 'price' ? numbers.price(value) : percent(value)
    case 'volume':
    case 'indicator':
      return numbers.plain(+value.toPrecision(8))
    case 'stale':
      return t('for {time}', { time: durationLabel(value) })
    case 'earnings':
      return t('on {day}', { day: new Date(value).toISOString().slice(0, 10) })
  }
}

/** A snooze in whole minutes. Its end was chosen shortly before the snooze was recorded. */
const snoozeMs = (atMs: number, untilMs: number): number => Math.max(1, Math.round((untilMs - atMs) / 60_000)) * 60_000

/** Why nothing was received. A gap cause has the same name everywhere. */
export const causeLabel = (cause: SuspensionCause): string =>
  cause === 'stale' || cause === 'unwanted' ? alertPhrase(`alert.cause.${cause}`) : gapPhrase(`gap.cause.${cause}`)

/** A state in one or two words, for a list. */
export function stateLabel(state: AlertState): string {
  return alertPhrase(`alert.state.${state.is === 'waiting' ? state.for : state.is}`)
}

/** A history line about one alert. For suspensions see `causeLabel`. */
export function eventLabel(event: Exclude<AlertEvent, { readonly is: 'blind' }>, numbers: AlertNumbers): string {
  const what = conditionLabel(event.condition, numbers)
  switch (event.is) {
    case 'fired':
      return t('{what}: {value}', { what, value: measureLabel(event.condition, event.value, numbers) })
    case 'unseen':
      return t('{what}: crossed without data, from {before} to {value}', {
        what,
        before: numbers.price(event.before),
        value: numbers.price(event.value),
      })
    case 'expired':
      return t('{what}: expired', { what })
    case 'snoozed':
      return event.untilMs === null
        ? t('{what}: snooze ended', { what })
        : t('{what}: snoozed for {time}', { what, time: durationLabel(snoozeMs(event.atMs, event.untilMs)) })
  }
}

/** Alerts in sentences: what one waits for, and what happened. For windows, notifications, the log and the command line. */
import { INDICATORS } from '../indicators/table.ts'
import { missingCase } from '../errors.ts'
import type { AlertCondition, AlertDirection, AlertEvent, AlertState, BlindCause, IndicatorLine } from './types.ts'

/** How numbers are written: prices with the decimals of their instrument, others plainly. */
export interface AlertNumbers {
  price(value: number): string
  plain(value: number): string
}

/** Numbers for files and terminals. */
export const PLAIN_NUMBERS: AlertNumbers = { price: String, plain: (value) => String(+value.toPrecision(8)) }

const PRICE_WORDS = { last: 'Last', bid: 'Bid', ask: 'Ask', mid: 'Mid' } as const
const crosses: Readonly<Record<AlertDirection, string>> = {
  up: 'rises to',
  down: 'falls to',
  either: 'crosses',
}

/** "5 min", "1 h 30 min", "250 ms". */
export function timeWords(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  const s = Math.round(ms / 1_000)
  if (s < 60) return `${s} s`
  const min = Math.floor(s / 60)
  if (min < 60) return s % 60 === 0 ? `${min} min` : `${min} min ${s % 60} s`
  const h = Math.floor(min / 60)
  if (h < 48) return min % 60 === 0 ? `${h} h` : `${h} h ${min % 60} min`
  return `${Math.floor(h / 24)} days`
}

/** "SMA 20", "MACD 12, 26, 9 signal". */
export function lineWords({ id, values, price, output }: IndicatorLine): string {
  const row = INDICATORS[id]
  const of = price === 'close' || !row.takesPrice ? '' : ` of ${price}`
  const name =
    row.outputs.length > 1 && output > 0
      ? `${row.outputs[0]} ${values.join(', ')} ${row.outputs[output]}`
      : `${row.outputs[output]} ${values.join(', ')}`
  return `${name}${of}`
}

/** What it waits for: "Last rises to 64,000". `drawing`: the name of the drawing it is about, where that is known. */
export function conditionWords(condition: AlertCondition, numbers: AlertNumbers, drawing = 'a drawing'): string {
  switch (condition.is) {
    case 'price':
      return `${PRICE_WORDS[condition.of]} ${crosses[condition.direction]} ${numbers.price(condition.level)}`
    case 'move': {
      const { of, percent, withinMs, direction } = condition
      const way = { up: 'rises', down: 'falls', either: 'moves' }[direction]
      return `${PRICE_WORDS[of]} ${way} ${numbers.plain(percent)} % within ${timeWords(withinMs)}`
    }
    case 'spread':
      return condition.unit === 'price'
        ? `Spread reaches ${numbers.price(condition.above)}`
        : `Spread reaches ${numbers.plain(condition.above)} %`
    case 'volume':
      return `Volume reaches ${numbers.plain(condition.above)} within ${timeWords(condition.withinMs)}`
    case 'indicator': {
      const { line, against, direction, interval, of, on } = condition
      const other =
        against.is === 'level'
          ? numbers.plain(against.level)
          : against.is === 'price'
            ? 'the close'
            : lineWords(against.line)
      const way = { up: 'crosses above', down: 'crosses below', either: 'crosses' }[direction]
      const bars = of === 'trade' ? interval : `${interval} of ${of}`
      return `${lineWords(line)} ${way} ${other}, ${bars}${on === 'record' ? ', within the bar' : ''}`
    }
    case 'drawing':
      return `${PRICE_WORDS[condition.of]} ${{ up: 'rises through', down: 'falls through', either: 'crosses' }[condition.direction]} ${drawing}${condition.scale === 'log' ? ', straight on a logarithmic scale' : ''}`
    case 'stale':
      return condition.afterMs === 0 ? 'Feed is stale' : `Feed is stale for ${timeWords(condition.afterMs)}`
    case 'earnings':
      return condition.days === 0
        ? 'Earnings today'
        : `Earnings within ${condition.days} ${condition.days === 1 ? 'day' : 'days'}`
    default:
      return missingCase(condition)
  }
}

/** What was measured when it fired: "64,001.50", "1.2 %", "for 30 s". */
export function measureWords(condition: AlertCondition, value: number, numbers: AlertNumbers): string {
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
      return `for ${timeWords(value)}`
    case 'earnings':
      return `on ${new Date(value).toISOString().slice(0, 10)}`
    default:
      return missingCase(condition)
  }
}

const CAUSE_WORDS: Readonly<Record<BlindCause, string>> = {
  connect: 'connecting',
  drop: 'connection lost',
  'half-open': 'connection went dead',
  refused: 'refused by the service',
  unacknowledged: 'symbol not acknowledged',
  sleep: 'the computer slept',
  clock: 'the clock was set',
  token: 'sign-in expired',
  disk: 'disk trouble',
  overflow: 'too much at once',
  worker: 'recorder trouble',
  crash: 'Tapedeck was not running',
  quit: 'Tapedeck was not running',
  stale: 'feed silent',
  unwanted: 'feed not asked for',
}

export const causeWords = (cause: BlindCause): string => CAUSE_WORDS[cause]

/** A state in one or two words, for a list. */
export function stateWords(state: AlertState): string {
  switch (state.is) {
    case 'armed':
      return 'Armed'
    case 'waiting':
      return { record: 'Waiting for data', bars: 'Warming up', date: 'No date known' }[state.for]
    case 'blind':
      return 'Blind'
    case 'resting':
      return 'Resting'
    case 'fired':
      return 'Fired'
    case 'expired':
      return 'Expired'
    case 'off':
      return 'Off'
    case 'elsewhere':
      return 'Other market'
    case 'broken':
      return 'Drawing gone'
    default:
      return missingCase(state)
  }
}

/** A line of the history about one alert; of a blind stretch see `causeWords`. */
export function eventWords(event: Exclude<AlertEvent, { readonly is: 'blind' }>, numbers: AlertNumbers): string {
  const what = conditionWords(event.condition, numbers)
  switch (event.is) {
    case 'fired':
      return `${what}: ${measureWords(event.condition, event.value, numbers)}`
    case 'unseen':
      return `${what}: passed unseen, from ${numbers.price(event.before)} to ${numbers.price(event.value)}`
    case 'expired':
      return `${what}: expired`
    default:
      return missingCase(event)
  }
}

/** Earnings calls from responses of any shape: one call per response, or a list of them. Pure. */
import { entriesOf, isList, isObject, isScalar, type Value } from '../../../../shared/features/research/value.ts'
import { speechesOf, type Speech } from '../response/earnings.ts'
import { namedPeriodOf, orderOf, type NamedPeriod } from './statements/statements.ts'

export interface Call extends NamedPeriod {
  readonly speeches: readonly Speech[]
}

const UNNAMED: NamedPeriod = { label: '', annual: false, ends: '', year: NaN, quarter: NaN }
const DEEPEST = 4

/** The calls of several responses, newest first, one per period. Of two with the same period, the first one counts. */
export function callsOf(responses: readonly Value[]): readonly Call[] {
  const byPeriod = new Map<string, Call>()
  for (const response of responses) {
    const named = namedCalls(response, 0)
    const speeches = named.length > 0 ? [] : speechesOf(response)
    for (const call of speeches.length > 0 ? [{ ...UNNAMED, speeches }] : named)
      if (!byPeriod.has(call.label)) byPeriod.set(call.label, call)
  }
  return [...byPeriod.values()].sort((a, b) => {
    const [one, other] = [orderOf(a), orderOf(b)]
    return Number.isNaN(one - other) ? (a.ends < b.ends ? 1 : -1) : other - one
  })
}

/** The calls whose period is named next to their text, or around it. */
function namedCalls(value: Value, depth: number): readonly Call[] {
  if (isScalar(value) || depth > DEEPEST) return []
  if (isList(value)) return value.flatMap((one) => namedCalls(one, depth + 1))
  // A speech may have a time of its own.
  if (!isObject(value) || 'speaker' in value) return []
  const inner = entriesOf(value).flatMap(([, one]) => namedCalls(one, depth + 1))
  if (inner.length > 0) return inner
  const period = namedPeriodOf(value, true)
  if (Number.isNaN(period.year) && period.ends === '') return []
  const speeches = speechesOf(value)
  return speeches.length > 0 ? [{ ...period, speeches }] : []
}

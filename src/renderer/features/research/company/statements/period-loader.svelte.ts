/** Loads further periods of statements or calls, one request each, with the parameter names that the user can change. */
import { t } from '../../../../../shared/base/text.ts'
import { parseValue } from '../../../../../shared/features/research/parse.ts'
import type { Value } from '../../../../../shared/features/research/value.ts'
import type { WindowState } from '../../../../core/window/window.svelte.ts'
import { missingPeriods, periodLabel, statementsOf, type NamedPeriod, type Period } from './statements.ts'

/** After as many periods in a row that the service doesn't have, earlier ones are unlikely, too. */
const ABSENT_IN_A_ROW = 2
let tickets = 0

export interface PeriodQuestion {
  readonly endpoint: string
  readonly symbol: string
}

export class PeriodLoader {
  running = $state.raw<{ readonly done: number; readonly of: number; readonly isQuiet: boolean } | null>(null)
  /** The outcome of the last run, as a sentence. */
  said = $state('')
  #ticket = ''
  #run = 0
  readonly #app: WindowState
  readonly #periodsOf: (value: Value) => readonly NamedPeriod[]

  /** `periodsOf` reads the periods of a response; by default those of statements. */
  constructor(app: WindowState, periodsOf = (value: Value): readonly NamedPeriod[] => statementsOf([value])) {
    this.#app = app
    this.#periodsOf = periodsOf
  }

  /** Whether the settings name the parameters of such a request. */
  canAsk(annual: boolean): boolean {
    const names = this.#app.settings.now.research.periods
    return names.year !== '' && (annual ? names.period : names.quarter) !== ''
  }

  cancel(): void {
    this.#run++
    this.running = null
    if (this.#ticket !== '') void this.#app.transport.invoke('research.cancel', { ticket: this.#ticket })
  }

  /**
   * Requests missing periods until `count` of them were requested. `known` returns the periods loaded by then, which
   * `onresponse` adds to. Stops at the first failure, such as a spent budget, and says why. `isQuiet`: says nothing if
   * all went well.
   */
  async run(
    { endpoint, symbol }: PeriodQuestion,
    wanted: { readonly annual: boolean; readonly count: number; readonly isQuiet?: boolean },
    known: () => readonly Period[],
    onresponse: (value: Value) => void,
  ): Promise<void> {
    if (this.running !== null) return
    const run = ++this.#run
    this.said = ''
    const { annual, isQuiet = false } = wanted
    const first = missingPeriods(known(), annual, wanted.count)
    let found = 0
    let absent = 0
    for (const [i, period] of first.entries()) {
      // A response with several periods may have brought it.
      if (known().some((one) => periodLabel(one) === periodLabel(period))) continue
      this.running = { done: i, of: first.length, isQuiet }
      this.#ticket = `periods-${++tickets}`
      const question = { view: this.#app.view, endpoint, symbol, params: this.#paramsOf(endpoint, period) }
      const result = await this.#app.transport.invoke('research.get', {
        ...question,
        mode: 'fresh',
        ticket: this.#ticket,
      })
      if (run !== this.#run) return
      const failure = result.ok ? result.value.failure : result.error
      if (failure !== null && failure.code !== 'not-found') {
        const message = `${failure.message} ${failure.hint ?? ''}`.trim()
        this.said = t('{period}: {message}', { period: periodLabel(period), message })
        break
      }
      if (failure !== null) {
        // It may still have an earlier one.
        if (++absent === ABSENT_IN_A_ROW) break
        continue
      }
      absent = 0
      const value = parseValue((result.ok ? result.value.response?.text : undefined) ?? '') ?? null
      const answered = this.#periodsOf(value)
      if (!answered.some((one) => periodLabel(one) === periodLabel(period))) {
        this.said = t(
          'Requested {period}, but the service returned {other}. It doesn’t seem to support these parameters.',
          { period: periodLabel(period), other: answered.at(-1)?.label ?? t('something else') },
        )
        break
      }
      found++
      onresponse(value)
    }
    this.running = null
    this.#ticket = ''
    const notice = t('Loaded {found} of {count} periods.', { found, count: first.length })
    if (this.said === '') this.said = isQuiet ? '' : notice
    else if (found > 0) this.said = `${this.said} ${notice}`
  }

  #paramsOf(endpoint: string, { year, quarter }: Period): Readonly<Record<string, string>> {
    const { periods: names, params } = this.#app.settings.now.research
    return {
      ...params[endpoint],
      [names.year]: String(year),
      ...(quarter === 0 ? { [names.period]: names.annual } : { [names.quarter]: `Q${quarter}` }),
    }
  }
}

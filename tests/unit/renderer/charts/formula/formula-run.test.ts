/** Formulas on a chart: values arrive from the worker, and one that takes too long is stopped without the others. */
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { FormulaHost, LIMIT_MS, type FormulaWorker } from '../../../../../src/renderer/charts/formula/formula-host.ts'
import { FormulaRun } from '../../../../../src/renderer/charts/formula/formula-run.ts'
import { FormulaRuns } from '../../../../../src/renderer/charts/formula/formula-runs.ts'
import { rowOf, type Row } from '../../../../../src/renderer/charts/model/series.ts'
import { IndicatorRun } from '../../../../../src/renderer/charts/model/study-run.ts'
import { formulaProblem } from '../../../../../src/shared/core/market/formula/compiled.ts'
import { formulaText, studySpec } from '../../../../../src/renderer/charts/model/study-spec.ts'
import { INDICATORS } from '../../../../../src/shared/core/market/indicators/table.ts'
import { makeBar } from '../../../../kit/market.ts'

const MINUTE = 60_000
const bar = (minute: number, close: number) =>
  makeBar({ startMs: minute * MINUTE, open: close - 1, high: close + 2, low: close - 2, close, volume: 3 })
const gap = (minute: number): Row => ({ ...rowOf(bar(minute, NaN)), bar: null })

/** Workers of a test: they answer when told, and one whose formula has `hang` in it never does. */
class Workers {
  readonly opened: FormulaWorker[] = []
  terminated = 0
  readonly #pending: (() => void)[] = []
  readonly open = (): FormulaWorker => {
    const runs = new FormulaRuns()
    let isEnded = false
    const worker: FormulaWorker = {
      post: (message) => {
        if ('end' in message) return runs.end(message.end)
        if (message.start?.text.includes('hang') === true) return
        this.#pending.push(() => {
          if (!isEnded) worker.onResponse(runs.respond(message))
        })
      },
      onResponse: () => undefined,
      onFailure: () => undefined,
      terminate: () => {
        isEnded = true
        this.terminated++
      },
    }
    this.opened.push(worker)
    return worker
  }
  answer(): void {
    for (let next = this.#pending.shift(); next !== undefined; next = this.#pending.shift()) next()
  }
  answerOne(): void {
    this.#pending.shift()?.()
  }
}

function runOf(text: string, host: FormulaHost, changed = (): void => undefined): FormulaRun {
  const spec = studySpec({ kind: 'formula', formula: { text } })
  if (spec === null) throw new Error('A formula has a spec.')
  return new FormulaRun(spec, { text, given: {}, asset: () => 'crypto', changed, host })
}
afterEach(() => void vi.useRealTimers())

describe('a formula on a chart', () => {
  it('draws its levels where its settings put them', () => {
    const text = 'w = input("Width", 2, 1, 9)\nclose\nlevel(w)'
    const spec = studySpec({ kind: 'formula', formula: { text } })
    if (spec === null) throw new Error('A formula has a spec.')
    const host = new FormulaHost(new Workers().open)
    const options = { text, asset: () => 'crypto' as const, changed: () => undefined, host }
    expect(new FormulaRun(spec, { ...options, given: {} }).drawn.levels).toEqual([2])
    expect(new FormulaRun(spec, { ...options, given: { w: 5 } }).drawn.levels).toEqual([5])
  })
  it('has the values of the indicator it calls, however rows and answers interleave', () => {
    const steps = fc.array(
      fc.tuple(fc.constantFrom('grow', 'tick', 'gap', 'reload', 'answer'), fc.integer({ min: 50, max: 150 })),
      { maxLength: 60 },
    )
    fc.assert(
      fc.property(steps, (list) => {
        const workers = new Workers()
        const run = runOf('ema(close, 3)', new FormulaHost(workers.open))
        const direct = new IndicatorRun(INDICATORS.ema, { period: 3 }, 'close', () => 0)
        let rows: Row[] = [rowOf(bar(0, 100))]
        run.follow(rows)
        for (const [step, close] of list) {
          if (step === 'grow') rows.push(rowOf(bar(rows.length, close)))
          if (step === 'gap') rows.push(gap(rows.length), rowOf(bar(rows.length + 1, close)))
          if (step === 'tick') rows[rows.length - 1] = rowOf(bar(rows.length - 1, close))
          if (step === 'reload') rows = rows.slice(Math.floor(rows.length / 3))
          if (step === 'answer') workers.answerOne()
          run.follow(rows)
        }
        workers.answer()
        expect(run.values).toEqual(direct.follow(rows))
        run.end()
        expect(workers.terminated).toBe(1)
      }),
      { numRuns: 150 },
    )
  })
  it('takes the sides of bars when they are read', () => {
    const workers = new Workers()
    const run = runOf('delta', new FormulaHost(workers.open))
    const rows = [rowOf(bar(0, 100)), rowOf(bar(1, 101))]
    run.follow(rows)
    workers.answer()
    expect(run.values).toEqual([{}, {}])
    run.setFlow((startMs) => ({ buy: 5, sell: startMs / MINUTE }), -Infinity)
    workers.answer()
    expect(run.values).toEqual([{ 0: 5 }, { 0: 4 }])
  })
  it('is stopped with its worker when it takes too long; the others continue in a new one', () => {
    vi.useFakeTimers()
    const workers = new Workers()
    const host = new FormulaHost(workers.open)
    const changed = vi.fn()
    const slow = runOf('close # hang', host, changed)
    const other = runOf('close', host)
    const rows = [rowOf(bar(0, 100))]
    slow.follow(rows)
    other.follow(rows)
    vi.advanceTimersByTime(LIMIT_MS - 1)
    expect(slow.problem).toBeNull()
    vi.advanceTimersByTime(1)
    expect(workers.terminated).toBe(1)
    expect(slow.problem).toContain('Stopped after 5 s')
    expect(changed).toHaveBeenCalled()
    workers.answer()
    expect(other.values).toEqual([{ 0: 100 }])
    expect(workers.opened).toHaveLength(2)
    // Not again for the same rows, but for fewer.
    slow.follow(rows)
    slow.follow([...rows])
    vi.advanceTimersByTime(LIMIT_MS * 2)
    expect(workers.terminated).toBe(1)
    slow.follow([])
    slow.end()
    other.end()
    expect(workers.terminated).toBe(2)
    expect(vi.getTimerCount()).toBe(0)
  })
  it('says what its settings make impossible, and when the worker fails', () => {
    const workers = new Workers()
    const host = new FormulaHost(workers.open)
    const text = 'n = input("n", 2, 1, 9000)\nsma(close, n)'
    const spec = studySpec({ kind: 'formula', formula: { text } })
    const run = new FormulaRun(spec!, {
      text,
      given: { n: 9000 },
      asset: () => 'crypto',
      changed: () => undefined,
      host,
    })
    run.follow([rowOf(bar(0, 100))])
    workers.answer()
    expect(run.problem).toContain('integer from 1 to 5,000')
    const next = runOf('close', host)
    next.follow([rowOf(bar(0, 100))])
    workers.opened.at(-1)?.onFailure()
    expect(next.problem).toContain('Reload the window')
  })
  it('draws nothing while its text has an error, and says where it is', () => {
    expect(studySpec({ kind: 'formula', formula: { text: 'sma(' } })?.outputs).toEqual([])
    expect(formulaProblem('a = 1\nb')).toBe('Line 2, column 1: Unknown name “b”.')
    expect(formulaProblem('close')).toBeNull()
  })
  it.each([
    [0.00012345678, '0.000123457'],
    [-12.5, '-12.5'],
    [62_306.4, '62,306.4'],
    [3_439_986_548, '3.44B'],
  ])('shows %d as %s', (value, text) => expect(formulaText(value)).toBe(text))
})

/** Entry of the worker in which formulas are computed, away from the window. It can be ended at any time. */
import { FormulaRuns } from './formula-runs.ts'
import type { FormulaRequest } from './protocol.ts'

const runs = new FormulaRuns()
addEventListener('message', ({ data }: MessageEvent<FormulaRequest | { readonly end: number }>) => {
  if ('end' in data) return runs.end(data.end)
  const response = runs.respond(data)
  postMessage(response, { transfer: 'values' in response ? [response.values.buffer] : [] })
})

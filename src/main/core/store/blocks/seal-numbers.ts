/** Chooses for each column of literals the style that restores its text, and which literals keep their text. */
import { FORM, MAX_DECIMALS, MAX_LITERAL, MAX_MANTISSA, POW10, writeLiteral } from '../kernels/literal.ts'
import type { NumberBuffers } from '../kernels/message-kernel.ts'
import { STYLE, type Style } from '../kernels/number-form.ts'

/** Numbers of one path, over the rows whose template has it. */
export interface Gather extends NumberBuffers {
  readonly path: string
  readonly key: string | undefined
  n: number
}

/** A column of literals in the form in which it is written. */
export interface Sealed {
  readonly style: Style
  readonly decimals: number
  readonly values: Float64Array
  readonly exceptions: readonly number[]
}

/** Picks the style with the fewest exceptions and scales all values to one power of ten. */
export function sealNumbers(gather: Gather, bytes: Uint8Array): Sealed {
  const { n, mantissa, form } = gather
  let present = 0
  let least = MAX_DECIMALS
  let most = 0
  for (let i = 0; i < n; i++) {
    const f = form[i]
    present |= f
    if ((f & FORM.inexact) !== 0) continue
    const d = f & FORM.decimals
    if (d < least) least = d
    if (d > most) most = d
  }
  if ((present & (FORM.inexact | FORM.exponent)) === 0 && least === most) {
    return { style: STYLE.fixed, decimals: most, values: mantissa.subarray(0, n), exceptions: [] }
  }
  let js: number[] = []
  let python: number[] = []
  const odd: number[] = []
  const plain: number[] = []
  const limit = n / 16
  for (let i = 0; i < n; i++) {
    const f = form[i]
    if ((f & FORM.inexact) !== 0) {
      odd.push(i)
      js.push(i)
      python.push(i)
      plain.push(i)
      continue
    }
    const d = f & FORM.decimals
    if ((f & FORM.exponent) !== 0) plain.push(i)
    else if (least === most) continue
    const m = mantissa[i]
    const wide = Math.abs(m) * POW10[most - d] > MAX_MANTISSA
    const small = (f & FORM.exponent) !== 0 || (m < 0 ? -m : m) < POW10[Math.max(0, d - 4)]
    if (wide) {
      js.push(i)
      python.push(i)
    } else if (small) {
      if (!rendersAs(gather, bytes, i, STYLE.js)) js.push(i)
      if (!rendersAs(gather, bytes, i, STYLE.python)) python.push(i)
    } else if ((f & FORM.trailingZero) !== 0) {
      js.push(i)
      if (d > 1) python.push(i)
    } else if (d === 0) python.push(i)
  }
  if (least === most && plain.length <= limit) {
    return strip({ style: STYLE.fixed, decimals: most, values: mantissa.subarray(0, n), exceptions: plain })
  }
  if (least === most) {
    // every literal was skipped above, so look at all of them
    js = []
    python = []
    for (let i = 0; i < n; i++) {
      if (!rendersAs(gather, bytes, i, STYLE.js)) js.push(i)
      if (!rendersAs(gather, bytes, i, STYLE.python)) python.push(i)
    }
  }
  const best = js.length <= python.length ? js : python
  if (best.length <= odd.length + limit) {
    const values = new Float64Array(n)
    for (let i = 0; i < n; i++) values[i] = mantissa[i] * POW10[most - Math.min(most, form[i] & FORM.decimals)]
    return strip({ style: best === js ? STYLE.js : STYLE.python, decimals: most, values, exceptions: best })
  }
  return strip({ style: STYLE.explicit, decimals: 0, values: mantissa.subarray(0, n), exceptions: plain })
}

/** Gives rows stored as text the value before them, so that they cost nothing in the column. */
function strip(column: Sealed): Sealed {
  for (const at of column.exceptions) column.values[at] = at === 0 ? 0 : column.values[at - 1]
  return column
}

const literal = new Uint8Array(MAX_LITERAL)

function rendersAs(gather: Gather, bytes: Uint8Array, at: number, style: Style): boolean {
  const f = gather.form[at]
  if ((f & FORM.inexact) !== 0) return false
  const end = writeLiteral(literal, 0, gather.mantissa[at], f & FORM.decimals, style)
  const start = gather.starts[at]
  for (let i = 0; i < end; i++) if (bytes[start + i] !== literal[i]) return false
  return gather.ends[at] === start + end
}

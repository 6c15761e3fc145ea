/** What a study is computed and drawn by: a row of the table of indicators, or a formula. */
import type { StudyKind } from '../../../shared/features/chart/chart-settings.ts'
import type { FormulaSpec } from '../../../shared/core/market/formula/compile.ts'
import { compiledFormula } from '../../../shared/core/market/formula/compiled.ts'
import { shownOutputs } from '../../../shared/core/market/indicators/row.ts'
import { INDICATORS } from '../../../shared/core/market/indicators/table.ts'

export type StudySpec = FormulaSpec
export interface StudySource {
  readonly kind: StudyKind
  readonly formula?: { readonly text: string } | undefined
}

const EMPTY: StudySpec = {
  place: 'own',
  parameters: [],
  outputs: [],
  takesPrice: false,
  usualPrice: 'close',
  unit: 'price',
  create: () => ({ peek: () => [], push: () => [] }),
}
/** Null for the volume profile, which belongs to the bars in view. A formula with an error has no outputs. */
export function studySpec({ kind, formula }: StudySource): StudySpec | null {
  if (kind === 'volume-profile') return null
  if (kind !== 'formula') return INDICATORS[kind]
  const found = compiledFormula(formula?.text ?? '')
  return found.ok ? found.spec : EMPTY
}

/** The outputs that are values to draw and read. */
export function studyOutputs(source: StudySource): readonly number[] {
  const spec = studySpec(source)
  return spec === null ? [] : shownOutputs(spec)
}

/** A value of a formula with six significant digits, or abbreviated if it is large. */
export function formulaText(value: number): string {
  if (Math.abs(value) >= 1e6) return COMPACT.format(value)
  return SIX.format(value)
}
const COMPACT = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 2 })
const SIX = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 6 })

/** A formatted number with a true minus. What is rounded to zero has no sign. */
export const signText = (text: string): string => (/^-[0.,]+$/.test(text) ? text.slice(1) : text.replace('-', '−'))

/** What a study is computed and drawn by: a row of the table of indicators, or a formula. */
import type { StudyKind } from '../../../shared/features/chart/chart-settings.ts'
import { compileFormula, type Compiled, type FormulaSpec } from '../../../shared/core/market/formula/compile.ts'
import { placeIn } from '../../../shared/core/market/formula/syntax.ts'
import { shownOutputs } from '../../../shared/core/market/indicators/row.ts'
import { INDICATORS } from '../../../shared/core/market/indicators/table.ts'
import { t } from '../../../shared/base/text.ts'

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
const MOST_COMPILED = 100
const compiled = new Map<string, Compiled>()

/** A formula, compiled once. */
export function compiledFormula(text: string): Compiled {
  const found = compiled.get(text) ?? compileFormula(text)
  if (compiled.size >= MOST_COMPILED) compiled.clear()
  compiled.set(text, found)
  return found
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

/** Where a formula has an error, and which; null if it has none. */
export function formulaProblem(text: string): string | null {
  const found = compiledFormula(text)
  if (found.ok) return null
  const { message, from } = found.error
  return t('Line {line}, column {column}: {message}', { ...placeIn(text, from), message })
}

/** A value of a formula with six significant digits, or abbreviated if it is large. */
export function formulaText(value: number): string {
  if (Math.abs(value) >= 1e6) return COMPACT.format(value)
  return SIX.format(value)
}
const COMPACT = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 2 })
const SIX = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 6 })

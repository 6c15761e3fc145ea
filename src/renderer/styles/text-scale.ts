/**
 * Lengths that hold text, written in px as designed at the usual size of the text, come out in rem: the
 * root's font size is 16 px times the scale that the user chose, so text and what holds it grow together.
 * Hairlines, radii, gaps and shapes stay as they are. Used when styles are built. Pure.
 */

/** Properties of text itself: every length counts. */
const TEXT = new Set(['font', 'font-size', 'line-height'])
/** Properties of what holds text. */
const HOLDERS = new Set([
  'width',
  'min-width',
  'max-width',
  'height',
  'min-height',
  'max-height',
  'flex',
  'flex-basis',
  'grid-template-columns',
  'grid-template-rows',
  'grid-auto-rows',
])
/** Px from which a length may hold text; below it is a line or a shape. */
const MIN = 9
const ROOT_PX = 16

/** The value of a declaration as it is built. */
export function scaledValue(property: string, value: string): string {
  const text = TEXT.has(property)
  if (!text && !HOLDERS.has(property)) return value
  return value.replace(/(?<![\w.#-])(\d+(?:\.\d+)?)px\b/g, (length, digits: string) => {
    const px = Number(digits)
    return px === 0 || (!text && px < MIN) ? length : `${Number((px / ROOT_PX).toFixed(5))}rem`
  })
}

/** As PostCSS takes it; files that `ours` does not name are left alone. */
export function textScale(ours: RegExp): {
  readonly postcssPlugin: string
  Declaration(declaration: {
    prop: string
    value: string
    source?: { input: { file?: string | undefined } } | undefined
  }): void
} {
  return {
    postcssPlugin: 'text-scale',
    Declaration(declaration) {
      if (!ours.test(declaration.source?.input.file ?? '')) return
      const value = scaledValue(declaration.prop, declaration.value)
      // Writing the same value again would make PostCSS visit it for ever.
      if (value !== declaration.value) declaration.value = value
    },
  }
}

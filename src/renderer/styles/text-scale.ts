/**
 * Converts lengths of text and its containers from px at the default text size to rem. The root font size is 16 px
 * times the user's scale, so text and its containers grow together. Hairlines, radii, gaps and shapes stay in px. Runs
 * when styles are built. Pure.
 */

/** Properties of text itself; every length in them is converted. */
const TEXT = new Set(['font', 'font-size', 'line-height'])
/** Properties of containers of text. */
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
  'grid-auto-columns',
  'columns',
])
/** The shortest length that may contain text, px. Shorter ones are lines or shapes. */
const MIN = 9
const ROOT_PX = 16

/** The converted value of a declaration. */
export function scaledValue(property: string, value: string): string {
  const text = TEXT.has(property)
  if (!text && !HOLDERS.has(property)) return value
  return value.replace(/(?<![\w.#-])(\d+(?:\.\d+)?)px\b/g, (length, digits: string) => {
    const px = Number(digits)
    return px === 0 || (!text && px < MIN) ? length : `${Number((px / ROOT_PX).toFixed(5))}rem`
  })
}

/** A PostCSS plugin that converts files matching `ours`. */
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
      // Assigning the same value would make PostCSS visit it forever.
      if (value !== declaration.value) declaration.value = value
    },
  }
}

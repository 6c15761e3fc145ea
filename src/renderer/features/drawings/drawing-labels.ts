/** Labels and colors of drawings in the window. */
import { t } from '../../../shared/base/text.ts'
import { FIB_EXTENSIONS, FIB_LEVELS } from '../../../shared/features/drawings/price-at.ts'
import { drawingPhrase } from '../../../shared/features/drawings/texts.ts'
import type { DrawingPalette } from '../../charts/drawings/paint.ts'
import {
  isWritten,
  type Drawing,
  type DrawingColor,
  type DrawingKind,
} from '../../../shared/features/drawings/types.ts'

/** The tools by group, in menu order. */
export const TOOL_GROUPS: readonly { readonly title: string; readonly kinds: readonly DrawingKind[] }[] = [
  {
    title: t('Lines'),
    kinds: ['trend', 'ray', 'extended', 'horizontal', 'vertical', 'channel', 'regression', 'pitchfork'],
  },
  { title: t('Levels and shapes'), kinds: ['fib', 'fib-extension', 'rectangle', 'arrow'] },
  { title: t('Notes'), kinds: ['text', 'note', 'brush'] },
  { title: t('Positions and measuring'), kinds: ['long', 'short', 'measure'] },
]

export const COLOR_NAMES: Readonly<Record<DrawingColor, string>> = {
  accent: t('Blue'),
  green: t('Green'),
  red: t('Red'),
  orange: t('Orange'),
  yellow: t('Yellow'),
  violet: t('Violet'),
  text: t('Text'),
  dim: t('Gray'),
}

/** The design token of each color. */
export const COLOR_TOKENS: Readonly<Record<DrawingColor, string>> = {
  accent: '--accent',
  green: '--green',
  red: '--red',
  orange: '--orange',
  yellow: '--warn',
  violet: '--replay',
  text: '--text',
  dim: '--dim',
}

export function stylesOf(kind: DrawingKind): {
  readonly line: boolean
  readonly fill: boolean
  readonly color: boolean
} {
  const area = [
    'channel',
    'regression',
    'pitchfork',
    'note',
    'rectangle',
    'fib',
    'fib-extension',
    'long',
    'short',
    'measure',
    'text',
  ].includes(kind)
  return { line: kind !== 'text' && kind !== 'measure', fill: area, color: kind !== 'measure' }
}

/** The names of a kind's levels; empty if it has none. */
export function levelNames(kind: DrawingKind): readonly string[] {
  const levels = kind === 'fib' ? FIB_LEVELS : kind === 'fib-extension' ? FIB_EXTENSIONS : []
  return levels.map(String)
}

/** A drawing's title in lists: its kind, and its text or price. */
export function drawingTitle(drawing: Drawing, price: (value: number) => string): { name: string; detail: string } {
  const [line] = drawing.text.split('\n')
  if (isWritten(drawing.kind))
    return { name: line === '' ? drawingPhrase(`drawing.${drawing.kind}`) : line, detail: '' }
  const [first, ...rest] = drawing.points
  const last = rest.at(-1)
  const level = drawing.kind === 'vertical' ? '' : price(first.price)
  const span = last && drawing.kind !== 'brush' ? `${level} → ${price((rest[0] ?? last).price)}` : level
  return { name: drawingPhrase(`drawing.${drawing.kind}`), detail: line === '' ? span : line }
}

/** Reads the colors and the text size from the current design tokens. */
export function drawingPalette(): DrawingPalette {
  const css = getComputedStyle(document.documentElement)
  const read = (token: string): string => css.getPropertyValue(token).trim() || '#8b97a8'
  const colors = Object.fromEntries(Object.entries(COLOR_TOKENS).map(([color, token]) => [color, read(token)]))
  return {
    colors: colors as DrawingPalette['colors'], // made from the table of all colors
    up: read('--up'),
    down: read('--down'),
    pane: read('--pane'),
    raised: read('--raised'),
    line: read('--line-strong'),
    text: read('--text'),
    accent: read('--accent'),
    textScale: Number(css.getPropertyValue('--scale')) || 1,
  }
}

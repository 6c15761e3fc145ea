/** Derives colors from the system's accent color, made lighter or darker until they are readable. Pure. */

/** The colors behind and next to the accent, each `#rrggbb`. */
export interface Grounds {
  readonly page: string
  readonly pane: string
  readonly raised: string
  readonly text: string
  readonly dim: string
}

/** Values for the tokens of the same names. */
export interface AccentColours {
  readonly accent: string
  readonly accentText: string
  readonly onAccent: string
  readonly selected: string
}

/** The contrast that WCAG requires for parts of controls and for text. */
const OF_PARTS = 3
const OF_TEXT = 4.5
/** The maximum share of the accent in a selected row. */
const MAX_TINT = 0.22

type Rgb = readonly [number, number, number]

/** Parses `#rrggbb`, or `#rgb` as in minified stylesheets, to 0 to 1 each. Null for other texts. */
function parse(hex: string): Rgb | null {
  const whole = hex.trim().replace(/^#([0-9a-f])([0-9a-f])([0-9a-f])$/i, '#$1$1$2$2$3$3')
  const found = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(whole)
  if (!found) return null
  const part = (at: number): number => Number.parseInt(found[at] ?? '0', 16) / 255
  return [part(1), part(2), part(3)]
}

function hexOf(rgb: Rgb): string {
  return `#${rgb
    .map((one) =>
      Math.round(Math.min(1, Math.max(0, one)) * 255)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`
}

/** Relative luminance, 0 to 1. */
function luminance([r, g, b]: Rgb): number {
  const linear = (c: number): number => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
}

/** The contrast ratio of two colors by WCAG 2, 1 to 21; 1 if one isn't a color. */
export function contrast(a: string, b: string): number {
  const [one, other] = [parse(a), parse(b)]
  if (!one || !other) return 1
  const [low = 0, high = 0] = [luminance(one), luminance(other)].toSorted((x, y) => x - y)
  return (high + 0.05) / (low + 0.05)
}

/** Hue, saturation and lightness, each 0 to 1. */
function hslOf([r, g, b]: Rgb): Rgb {
  const most = Math.max(r, g, b)
  const least = Math.min(r, g, b)
  const spread = most - least
  const lightness = (most + least) / 2
  if (spread === 0) return [0, 0, lightness]
  const sixth = most === r ? (g - b) / spread : most === g ? (b - r) / spread + 2 : (r - g) / spread + 4
  return [(((sixth / 6) % 1) + 1) % 1, spread / (1 - Math.abs(2 * lightness - 1)), lightness]
}

function rgbOf([hue, saturation, lightness]: Rgb): Rgb {
  const reach = saturation * Math.min(lightness, 1 - lightness)
  const part = (n: number): number => {
    const k = (n + hue * 12) % 12
    return lightness - reach * Math.max(-1, Math.min(k - 3, 9 - k, 1))
  }
  return [part(0), part(8), part(4)]
}

/**
 * The same hue at the nearest lightness that reaches a contrast ratio on every background, or the closest to it if the
 * backgrounds differ too much.
 */
export function readable(hex: string, grounds: readonly string[], ratio: number): string {
  const rgb = parse(hex)
  if (!rgb) return hex
  const least = (one: string): number => Math.min(...grounds.map((ground) => contrast(one, ground)))
  const [hue, saturation, lightness] = hslOf(rgb)
  let best = hexOf(rgb)
  for (let step = 0; step <= 100; step++) {
    for (const next of [lightness + step / 100, lightness - step / 100]) {
      if (next < 0 || next > 1) continue
      const one = step === 0 ? hexOf(rgb) : hexOf(rgbOf([hue, saturation, next]))
      if (least(one) >= ratio) return one
      if (least(one) > least(best)) best = one
    }
  }
  return best
}

function mixed(a: string, b: string, share: number): string {
  const [one, other] = [parse(a), parse(b)]
  if (!one || !other) return b
  const part = (i: 0 | 1 | 2): number => one[i] * share + other[i] * (1 - share)
  return hexOf([part(0), part(1), part(2)])
}

/** The accent's colors on the backgrounds of a theme; null if one of them isn't a valid color. */
export function accentColours(hex: string, grounds: Grounds): AccentColours | null {
  const { page, pane, raised, text, dim } = grounds
  if ([hex, page, pane, raised, text, dim].some((one) => parse(one) === null)) return null
  const accent = readable(hex, [page, pane, raised], OF_PARTS)
  const holds = (ground: string): boolean => [text, dim].every((one) => contrast(one, ground) >= OF_TEXT)
  let tint = MAX_TINT
  while (tint > 0.01 && !holds(mixed(accent, pane, tint))) tint -= 0.02
  const selected = mixed(accent, pane, Math.max(0, tint))
  return {
    accent,
    accentText: readable(accent, [page, pane, raised, selected], OF_TEXT),
    // One of the two always reaches 4.5.
    onAccent: contrast('#ffffff', accent) > contrast('#000000', accent) ? '#ffffff' : '#000000',
    selected,
  }
}

/** Settings of looks, keys and the palette: schemas with defaults, spread into the settings of every host. */
import * as v from 'valibot'

const text = (max: number) => v.pipe(v.string(), v.maxLength(max))

/** Size of the text in percent of the usual. */
export const TEXT_SCALES = [90, 100, 110, 120, 130, 140, 150] as const
/** Colours of up and down. `mono` has none: bright up, dim down. */
export const DIRECTIONS = ['green-red', 'red-green', 'blue-orange', 'mono'] as const

const APPEARANCE = {
  theme: 'dark',
  direction: 'green-red',
  density: 'normal',
  scale: 100,
  motion: 'system',
  accent: 'own',
} as const

export const appearanceSchema = v.optional(
  v.object({
    theme: v.fallback(v.picklist(['dark', 'light', 'system', 'contrast']), APPEARANCE.theme),
    direction: v.fallback(v.picklist(DIRECTIONS), APPEARANCE.direction),
    density: v.fallback(v.picklist(['compact', 'normal', 'comfortable']), APPEARANCE.density),
    scale: v.fallback(v.picklist(TEXT_SCALES), APPEARANCE.scale),
    /** `less`: nothing fades or slides, whatever the system prefers. */
    motion: v.fallback(v.picklist(['system', 'less', 'full']), APPEARANCE.motion),
    /** Colour of what is chosen and in front: ours, or the one that the user gave to the system. */
    accent: v.fallback(v.picklist(['own', 'system']), APPEARANCE.accent),
  }),
  APPEARANCE,
)

/** Chords that the user set, by the id of the command; no entry: those of the table; none in it: no key. */
const ownKeys = v.record(text(64), v.pipe(v.array(text(32)), v.maxLength(4)))
export const shortcutsSchema = v.optional(v.object({ keys: v.fallback(ownKeys, {}) }), { keys: {} })

/** What was chosen in the palette, newest first, by the ids of its items. */
export const paletteSchema = v.optional(
  v.object({ recent: v.fallback(v.pipe(v.array(text(96)), v.maxLength(30)), []) }),
  { recent: [] },
)

export const helpSchema = v.optional(
  v.object({
    /** The tour was taken or put away. */
    tourSeen: v.fallback(v.boolean(), false),
    /** Zone and language of numbers were taken from the system at the first start. */
    looksTaken: v.fallback(v.boolean(), false),
  }),
  { tourSeen: false, looksTaken: false },
)

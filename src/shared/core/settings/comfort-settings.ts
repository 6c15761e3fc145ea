/** Settings of appearance, shortcuts and the palette: schemas with defaults, part of every host's settings. */
import * as v from 'valibot'
import { text } from '../../base/schemas.ts'

/** Text size in percent of the default. */
export const TEXT_SCALES = [90, 100, 110, 120, 130, 140, 150] as const
/** Colors of up and down. `mono` uses brightness instead: bright up, dim down. */
export const DIRECTIONS = ['green-red', 'red-green', 'blue-orange', 'mono'] as const

export const appearanceSchema = v.object({
  theme: v.fallback(v.picklist(['dark', 'light', 'system', 'contrast']), 'dark'),
  direction: v.fallback(v.picklist(DIRECTIONS), 'green-red'),
  density: v.fallback(v.picklist(['compact', 'normal', 'comfortable']), 'normal'),
  scale: v.fallback(v.picklist(TEXT_SCALES), 100),
  /** `less`: no fades or slides, whatever the system prefers. */
  motion: v.fallback(v.picklist(['system', 'less', 'full']), 'system'),
  /** The accent color: Tapedeck's own or the system's. */
  accent: v.fallback(v.picklist(['own', 'system']), 'own'),
})

/** The user's shortcuts by command id. No entry: the default. An empty list: no shortcut. */
const ownKeys = v.record(text(64), v.pipe(v.array(text(32)), v.maxLength(4)))
export const shortcutsSchema = v.object({ keys: v.fallback(ownKeys, {}) })

/** Recent palette choices by item id, newest first. */
export const paletteSchema = v.object({ recent: v.fallback(v.pipe(v.array(text(96)), v.maxLength(30)), []) })

export const helpSchema = v.object({
  /** The tour was completed or dismissed. */
  tourSeen: v.fallback(v.boolean(), false),
  /** Time zone and number format were copied from the system at the first start. */
  looksTaken: v.fallback(v.boolean(), false),
})

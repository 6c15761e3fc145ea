/** Positions of the further windows, keyed by their panes, so that each returns to its monitor. */
import { readFileSync } from 'node:fs'
import * as v from 'valibot'
import { placement, writePlacement, type Placement, type Size } from './bounds.ts'

/** Far more than anyone uses. The least recently opened is dropped first. */
const MAX = 64

const places = v.record(v.pipe(v.string(), v.maxLength(100)), v.unknown())

/** The key of a pane window: its workspace and name; null for a replay window. */
export function placeKey(url: string): string | null {
  const found = /#workspace=([a-z0-9-]{1,40})&window=([a-z0-9-]{1,40})$/.exec(url)
  return found ? `${found[1]}/${found[2]}` : null
}

/** The size in a page's window features, or the default size. */
export function sizeIn(features: string): Size {
  const found = /(?:^|,)width=(\d{3,4}),height=(\d{3,4})(?:,|$)/.exec(features)
  return found ? { width: Number(found[1]), height: Number(found[2]) } : { width: 760, height: 560 }
}

/** Every valid placement in a file; none if it is absent or corrupt. */
export function readPlaces(file: string): ReadonlyMap<string, Placement> {
  try {
    const read = v.parse(places, JSON.parse(readFileSync(file, 'utf8')))
    return new Map(
      Object.entries(read).flatMap(([key, value]) => {
        const one = v.safeParse(placement, value)
        return one.success ? [[key, one.output] as const] : []
      }),
    )
  } catch {
    return new Map()
  }
}

/** Saves one more placement. Never throws. */
export function keepPlace(file: string, key: string, value: Placement): void {
  const others = [...readPlaces(file)].filter(([other]) => other !== key)
  writePlacement(file, Object.fromEntries([...others, [key, value] as const].slice(-MAX)))
}

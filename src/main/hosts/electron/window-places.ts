/** Where windows beside the main one were: by the panes they hold, so that each comes back to its own monitor. */
import { readFileSync } from 'node:fs'
import * as v from 'valibot'
import { placement, writePlacement, type Placement, type Size } from './bounds.ts'

/** Far more windows than anyone places; the one not opened for longest goes first. */
const MOST = 64

const places = v.record(v.pipe(v.string(), v.maxLength(100)), v.unknown())

/** What a window of panes is known by: its workspace and its name there; null: a window of a replay, which has none. */
export function placeKey(url: string): string | null {
  const found = /#workspace=([a-z0-9-]{1,40})&window=([a-z0-9-]{1,40})$/.exec(url)
  return found ? `${found[1]}/${found[2]}` : null
}

/** The size that a page asks for with a window; the usual one where it asks for none that can be. */
export function sizeIn(features: string): Size {
  const found = /(?:^|,)width=(\d{3,4}),height=(\d{3,4})(?:,|$)/.exec(features)
  return found ? { width: Number(found[1]), height: Number(found[2]) } : { width: 760, height: 560 }
}

/** Every sound place of a file; nothing where it is absent or damaged. */
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

/** Keeps one more place. Throws nothing. */
export function keepPlace(file: string, key: string, value: Placement): void {
  const others = [...readPlaces(file)].filter(([other]) => other !== key)
  writePlacement(file, Object.fromEntries([...others, [key, value] as const].slice(-MOST)))
}

/** Saved window bounds, and where to restore a window. Pure except for the two file functions. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import * as v from 'valibot'

export interface Rectangle {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

const whole = v.pipe(v.number(), v.integer(), v.minValue(-100_000), v.maxValue(100_000))
export const placement = v.object({ x: whole, y: whole, width: whole, height: whole, maximized: v.boolean() })
export type Placement = v.InferOutput<typeof placement>

export const DESIGN_SIZE = { width: 1440, height: 900 } as const
export const MIN_SIZE = { width: 1024, height: 640 } as const
/** Smallest size of a window with a pane or two: a tape is narrow. */
export const MIN_BESIDE = { width: 320, height: 240 } as const

export interface Size {
  readonly width: number
  readonly height: number
}

/** How much of the top edge must be on a screen so that the user can drag the window. */
const GRIP = { width: 120, height: 32 } as const

const clamp = (n: number, low: number, high: number): number => Math.max(low, Math.min(n, high))

function overlap(a: Rectangle, b: Rectangle): { width: number; height: number } {
  return {
    width: Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x),
    height: Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y),
  }
}

/**
 * Bounds that can be seen and reached on the screens there are now (work areas, the primary one first), never
 * smaller than `least`. Where the saved place is gone (a monitor unplugged) or none was saved: centred on the primary screen.
 */
export function reachableBounds(
  saved: Rectangle | undefined,
  screens: readonly Rectangle[],
  least: Size = MIN_SIZE,
  usual: Size = DESIGN_SIZE,
): Rectangle {
  const [primary] = screens
  const size = saved ?? usual
  if (!primary) return { x: 0, y: 0, width: size.width, height: size.height }
  const within = (screen: Rectangle): { width: number; height: number } => ({
    width: clamp(size.width, Math.min(least.width, screen.width), screen.width),
    height: clamp(size.height, Math.min(least.height, screen.height), screen.height),
  })
  if (saved) {
    const fitting = screens.flatMap((screen) => {
      const bounds = { x: saved.x, y: saved.y, ...within(screen) }
      const seen = overlap({ ...bounds, height: GRIP.height }, screen)
      return seen.width >= GRIP.width && seen.height >= GRIP.height ? [bounds] : []
    })
    if (fitting[0]) return fitting[0]
  }
  const { width, height } = within(primary)
  return {
    x: primary.x + Math.round((primary.width - width) / 2),
    y: primary.y + Math.round((primary.height - height) / 2),
    width,
    height,
  }
}

/** The saved placement; undefined if it is absent or invalid. Never throws. */
export function readPlacement(file: string): Placement | undefined {
  try {
    return v.parse(placement, JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return undefined // Absent or corrupt: open where a first window would.
  }
}

/** Replaces the file atomically. Never throws: a full disk must not keep a window open. */
export function writePlacement(file: string, value: Placement | Readonly<Record<string, Placement>>): void {
  try {
    const draft = `${file}.new`
    writeFileSync(draft, JSON.stringify(value))
    renameSync(draft, file)
  } catch {
    // Losing a window's position isn't worth a message.
  }
}

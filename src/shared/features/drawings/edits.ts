/**
 * Changes to a list of drawings as data. Windows send these instead of whole lists, so that each keeps what another
 * drew, and undo reverts them. Pure.
 */
import { t } from '../../base/text.ts'
import * as v from 'valibot'
import { drawingSchema, MAX_DRAWINGS, MAX_POINTS, type Drawing } from './types.ts'

const id = v.pipe(v.string(), v.maxLength(40))

export const drawingsEditSchema = v.strictObject({
  /** New drawings, and changed ones in full. */
  put: v.pipe(v.array(drawingSchema), v.maxLength(MAX_DRAWINGS)),
  remove: v.pipe(v.array(id), v.maxLength(MAX_DRAWINGS)),
  /** All ids from lowest to highest; null: new ones on top, the others unchanged. */
  order: v.nullable(v.pipe(v.array(id), v.maxLength(MAX_DRAWINGS))),
})

export interface DrawingsEdit {
  readonly put: readonly Drawing[]
  readonly remove: readonly string[]
  readonly order: readonly string[] | null
}

/** The edit that turns `before` into `after`. Compares drawings by identity, then by content. */
export function editOf(before: readonly Drawing[], after: readonly Drawing[]): DrawingsEdit {
  const old = new Map(before.map((drawing) => [drawing.id, drawing]))
  const remaining = new Set(after.map((drawing) => drawing.id))
  const put = after.filter((drawing) => {
    const was = old.get(drawing.id)
    return was === undefined || (was !== drawing && !sameDrawing(was, drawing))
  })
  const remove = before.filter((drawing) => !remaining.has(drawing.id)).map((drawing) => drawing.id)
  const plain = applyEdit(before, { put, remove, order: null })
  const ordered = plain.every((drawing, i) => drawing.id === after[i]?.id)
  return { put, remove, order: ordered ? null : after.map((drawing) => drawing.id) }
}

/** Whether an edit changes nothing. */
export function isNoEdit(edit: DrawingsEdit): boolean {
  return edit.put.length === 0 && edit.remove.length === 0 && edit.order === null
}

/**
 * The list after an edit. Missing drawings that the edit names are skipped. Drawings that it doesn't know stay above
 * the same neighbor.
 */
export function applyEdit(drawings: readonly Drawing[], { put, remove, order }: DrawingsEdit): readonly Drawing[] {
  const gone = new Set(remove)
  const fresh = new Map(put.map((drawing) => [drawing.id, drawing]))
  const list: Drawing[] = []
  for (const drawing of drawings) {
    if (gone.has(drawing.id)) continue
    list.push(fresh.get(drawing.id) ?? drawing)
    fresh.delete(drawing.id)
  }
  list.push(...fresh.values())
  return order === null ? list : inOrder(list, order)
}

function inOrder(list: readonly Drawing[], order: readonly string[]): Drawing[] {
  const by = new Map(list.map((drawing) => [drawing.id, drawing]))
  const named = new Set(order)
  const after: Drawing[] = []
  /** Drawings that the order doesn't name, by the id below them; null: at the bottom. */
  const byOwner = new Map<string | null, Drawing[]>()
  let below: string | null = null
  for (const drawing of list) {
    if (named.has(drawing.id)) below = drawing.id
    else {
      const there: Drawing[] = byOwner.get(below) ?? []
      there.push(drawing)
      byOwner.set(below, there)
    }
  }
  after.push(...(byOwner.get(null) ?? []))
  for (const name of new Set(order)) {
    const drawing = by.get(name)
    if (drawing !== undefined) after.push(drawing)
    after.push(...(byOwner.get(name) ?? []))
  }
  return after
}

/** Whether two drawings are equal. */
export function sameDrawing(a: Drawing, b: Drawing): boolean {
  return (
    a.id === b.id &&
    a.kind === b.kind &&
    a.text === b.text &&
    a.locked === b.locked &&
    a.hidden === b.hidden &&
    a.asOfMs === b.asOfMs &&
    a.style.color === b.style.color &&
    a.style.width === b.style.width &&
    a.style.dash === b.style.dash &&
    a.style.fill === b.style.fill &&
    a.style.levels?.join() === b.style.levels?.join() &&
    a.points.length === b.points.length &&
    a.points.every((point, i) => point.ms === b.points[i].ms && point.price === b.points[i].price)
  )
}

/** Why a list can't be saved, as a sentence, or null. */
export function tooMany(drawings: readonly Drawing[]): string | null {
  if (drawings.length > MAX_DRAWINGS) return t('A symbol can have up to {count} drawings.', { count: MAX_DRAWINGS })
  const points = drawings.reduce((sum, drawing) => sum + drawing.points.length, 0)
  return points > MAX_POINTS
    ? t('The drawings of a symbol can have up to {count} points in total.', { count: MAX_POINTS })
    : null
}

/** Gives the groups on screen other sizes, without replacing any. Px. */
import type { DockviewGroupPanel } from 'dockview'
import { panesIn, type DockNode } from '../../../../shared/features/workspace/document.ts'

/** The group on screen that has this front pane. */
export type GroupOf = (pane: string) => DockviewGroupPanel | undefined

/**
 * Gives the parts of a split the sizes of a tree that is shown already. Their groups must have no minimum sizes. A part
 * that only has splits in it takes what the others leave, because dockview resizes groups only.
 */
export function resizeGroups(node: DockNode, groupOf: GroupOf): void {
  if (node.is === 'group') return
  const side = node.axis === 'row' ? 'width' : 'height'
  // Dockview takes the difference from the last parts first, so the ones before keep the size that they were given.
  for (const part of node.parts) {
    const inside = part.is === 'group' ? part : part.parts.find((one) => one.is === 'group')
    const [pane] = inside === undefined ? [] : panesIn(inside)
    if (pane !== undefined) groupOf(pane)?.api.setSize({ [side]: part.size })
  }
  for (const part of node.parts) resizeGroups(part, groupOf)
}

/** Keys of a list of tabs: the arrows of its direction go round, Home and End go to the ends. */

/** The place that a key leads to, of `count` tabs from the one at `at`; undefined for any other key. */
export function tabAfter(
  key: string,
  at: number,
  count: number,
  orientation: 'horizontal' | 'vertical' = 'horizontal',
): number | undefined {
  if (count === 0) return undefined
  const [back, forth] = orientation === 'horizontal' ? ['ArrowLeft', 'ArrowRight'] : ['ArrowUp', 'ArrowDown']
  if (key === forth) return (at + 1) % count
  if (key === back) return (Math.max(at, 0) + count - 1) % count
  if (key === 'Home') return 0
  return key === 'End' ? count - 1 : undefined
}

/** Attributes of the panel that a list of tabs leads to; `id` and `chosen` are those of the list. */
export const tabPanel = (id: string, chosen: string) => ({
  id: `${id}-panel`,
  role: 'tabpanel' as const,
  'aria-labelledby': `${id}-${chosen}`,
})

/** Keys of a tab list: the arrow keys of its direction wrap around; Home and End go to the ends. */

/** The index that a key moves to from tab `at` of `count`; undefined for other keys. */
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

/** The attributes of a tab list's panel; `id` and `chosen` are those of the list. */
export const tabPanel = (id: string, chosen: string) => ({
  id: `${id}-panel`,
  role: 'tabpanel' as const,
  'aria-labelledby': `${id}-${chosen}`,
})

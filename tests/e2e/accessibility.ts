/** The rules of WCAG 2.2 AA and axe's good practice, as every spec asks for them. */
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'

export interface Violation {
  /** axe's name of the rule. */
  readonly rule: string
  /** Selector of the element. */
  readonly target: string
  /** What is wrong with it, and how to mend it. */
  readonly summary: string
}

/** What a look can change: the rest of the rules need not be asked again in each. */
export const RULES_OF_A_LOOK: readonly string[] = ['color-contrast']

/**
 * What breaks the rules in a part of a page (a selector), or in all of it; only these rules where some are named.
 * axe is put into a page once: a script of half a megabyte need not be read again for each look at it.
 */
export async function violations(
  page: Page,
  part: string | null = null,
  rules?: readonly string[],
): Promise<readonly Violation[]> {
  const there = await page.evaluate(() => 'axe' in window)
  const axe = there ? new AxeBuilder({ page, axeSource: ';' }) : new AxeBuilder({ page })
  const only = rules ? { runOnly: { type: 'rule' as const, values: [...rules] } } : {}
  // The legacy mode needs no second page, which neither host gives.
  axe.setLegacyMode(true).options({ resultTypes: ['violations'], elementRef: false, ...only })
  if (part !== null) axe.include(part)
  const found = await axe.analyze()
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => ({
      rule: id,
      target: target.join(' '),
      summary: failureSummary ?? '',
    })),
  )
}

/** A violation as a line of a failed test. */
export const line = (what: string, { rule, target, summary }: Violation): string =>
  `${what}: ${rule} at ${target}: ${summary}`

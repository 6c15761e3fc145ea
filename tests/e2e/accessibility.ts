/** The rules of WCAG 2.2 AA and axe's good practice, as every spec asks for them. */
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from '@playwright/test'

export type Look = 'dark' | 'light' | 'contrast'

export interface Violation {
  /** axe's name of the rule. */
  readonly rule: string
  /** Selector of the element. */
  readonly target: string
  /** What is wrong with it, and how to mend it. */
  readonly summary: string
}

/** What a look can change: the rest of the rules need not be asked again in each. */
const RULES_OF_A_LOOK: readonly string[] = ['color-contrast']

/** As much of axe, where it was put into a page, as is used. */
interface Axe {
  run(
    part: string | Document,
    options: object,
  ): Promise<{
    readonly violations: readonly {
      readonly id: string
      readonly nodes: readonly { readonly target: readonly unknown[]; readonly failureSummary?: string }[]
    }[]
  }>
}

interface Run {
  /** Worn while it runs; null: whichever is on. */
  readonly look: Look | null
  /** axe's options. */
  readonly options: object
}

const optionsOf = (rules?: readonly string[]): object => ({
  resultTypes: ['violations'],
  elementRef: false,
  // The one other thing that axe would load first, all style sheets, is for a rule that is on trial and not run.
  preload: { assets: ['media'] },
  ...(rules ? { runOnly: { type: 'rule', values: rules } } : {}),
})

/**
 * axe is put into a page once, and runs several times in one go: half a megabyte of script need not be read again
 * for each look at it, nor a part be found anew.
 */
async function ran(page: Page, part: string | null, runs: readonly Run[]): Promise<Violation[][]> {
  if (!(await page.evaluate(() => 'axe' in window)))
    // The legacy mode needs no second page, which neither host gives.
    await new AxeBuilder({ page }).setLegacyMode(true).withRules('document-title').analyze()
  return page.evaluate(
    async ({ part, runs }) => {
      const { axe } = window as unknown as { readonly axe: Axe } // put there above
      const all: Violation[][] = []
      for (const { look, options } of runs) {
        if (look !== null) {
          document.documentElement.dataset['theme'] = look
          // A colour that is still on its way is none of the look's.
          await new Promise((next) => requestAnimationFrame(next))
          for (const one of document.getAnimations()) if (one instanceof CSSTransition) one.finish()
        }
        const { violations } = await axe.run(part ?? document, options)
        all.push(
          violations.flatMap(({ id, nodes }) =>
            nodes.map(({ target, failureSummary }) => ({
              rule: id,
              target: target.join(' '),
              summary: failureSummary ?? '',
            })),
          ),
        )
      }
      return all
    },
    { part, runs },
  )
}

/** What breaks the rules in a part of a page (a selector), or in all of it. */
export async function violations(page: Page, part: string | null = null): Promise<readonly Violation[]> {
  return (await ran(page, part, [{ look: null, options: optionsOf() }])).flat()
}

/**
 * What breaks them in each of some looks, by the look: every rule in the first, in the others what a look can change.
 * Colours hang on one attribute of the page, which keeps the last: no dialog has to be left to change them.
 */
export async function violationsByLook(
  page: Page,
  part: string | null,
  looks: readonly Look[],
): Promise<readonly { readonly look: Look; readonly found: readonly Violation[] }[]> {
  const found = await ran(
    page,
    part,
    looks.map((look, at) => ({ look, options: optionsOf(at === 0 ? undefined : RULES_OF_A_LOOK) })),
  )
  return looks.map((look, at) => ({ look, found: found[at] }))
}

/** A violation as a line of a failed test. */
export const line = (what: string, { rule, target, summary }: Violation): string =>
  `${what}: ${rule} at ${target}: ${summary}`

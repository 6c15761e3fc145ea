/** The window in another language: nothing of it is left in English, nothing is glued of pieces, nothing breaks. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from '@playwright/test'
import { allTexts } from '../../../scripts/lib/texts.mjs'
import { CODES } from '../../../src/renderer/features/palette/codes.ts'
import { expect, test } from '../fixtures.ts'
import { pseudoTranslation } from '../pseudo-language.ts'

/** As src/renderer/text/trial.ts reads it. */
const TRIAL_KEY = 'tapedeck.catalogue'
const SMALL = { width: 1024, height: 640 }

const TEXTS = allTexts().flatMap((message) => (typeof message === 'string' ? [message] : Object.values(message)))
/** Words of the English texts: of other words, such as names of companies, nothing is known. */
const ENGLISH = new Set(
  TEXTS.flatMap(
    (text) =>
      text
        .replace(/\{\w+\}/g, ' ')
        .toLowerCase()
        .match(/[a-z]{3,}/g) ?? [],
  ),
)
/** What the status writes in capitals; a translation replaces it. */
const SHOUTED = new Set([
  'REPLAY',
  'REC',
  'REC FAILED',
  'REC PAUSED',
  'STARTING',
  'STALE',
  'CONNECTING',
  'REFUSED',
  'OFFLINE',
  'DEMO',
  'LIVE',
])
/** What is said in the user's, the market's or the terminal's own words; what can be typed is so in every language. */
const OWN_WORDS: readonly RegExp[] = [
  /^\w+ \w+: (connected|connecting|disconnected)\.$/g, // the log, written by the terminal
  /\b(Overview|Day trading|Review|Research|Charts [23] × [23])\b/g, // workspaces and lists are the user's
  /\b(Majors|Crypto|FX|Stocks)\b/g,
  /\b(US dollar|Swiss franc|Euro|pound sterling|Apple Inc\.|International Business Machines|Pound sterling|New Zealand dollar|Ethereum Classic)\b/g,
  /\b[A-Z][\w.&’' -]*,? (Inc|Corp|Corporation|Company|Co|Trust|Group|Ltd)\b\.?/g, // names of companies
  /\b(nats|postgres|https):\/\/\S+/g, // examples of addresses
  /\b[\w-]+\/[\w-]+\b|\/[\w{}/.-]+/g, // feeds, zones, paths
  /\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\b/g, // of the language of dates
  /\bdemo\b|\bHELP gap\b|\bUTC\b/g,
  /\bExcel \((comma|semicolon)\)/g, // presets of exports, which the command line takes by name
  codes(), // what is typed is the same in every language
  capitals(), // symbols, indicators, units
  /^This copy wasn’t installed from a package.*/g,
  /\b(Parquet|Arrow|Tab|CSV|JSON)\b|^\.\w+$/g,
  /\b(?:(?:Ctrl|Alt|Shift)\+)+\S\w*|\bSpace\b/g, // keys, as they stand on the keyboard
  /^(New York|London|Tokyo|Europe|America|Asia)$/g, // places of zones
  /\d+ [a-z]+\. \d{4}/g, // days as French writes them
]
/** The codes of the classic entry. */
function codes(): RegExp {
  return new RegExp(`\\b(${CODES.flatMap(({ code, also }) => [code, ...also]).join('|')})\\b`, 'g')
}
/** Words in capitals, except those that the status writes so. */
function capitals(): RegExp {
  const shouted = [...SHOUTED].flatMap((text) => text.split(' '))
  return new RegExp(`\\b(?!(?:${shouted.join('|')})\\b)[A-Z]{2,6}\\b`, 'g')
}
const leftIn = (text: string): readonly string[] =>
  (OWN_WORDS.reduce((rest, own) => rest.replace(own, ' '), text).match(/[A-Za-z]{3,}/g) ?? []).filter((word) =>
    ENGLISH.has(word.toLowerCase()),
  )
/** Two messages with nothing between them, or with words: a sentence that no translator could put in order. */
function isGlued(text: string): boolean {
  let outer = text
  for (let before = ''; before !== outer;) {
    before = outer
    outer = outer.replace(/⟦[^⟦⟧]*⟧/g, '#')
  }
  return /##|# ?[a-z]+ ?#/.test(outer)
}

/** Every text on screen: between tags, and what is read of attributes. Keys stand as on the keyboard. */
const textsOn = (page: Page, within: string): Promise<string[]> =>
  page.locator(within).evaluateAll((roots) => {
    const found: string[] = []
    for (const root of roots) {
      const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT)
      for (let node: Node | null = walker.currentNode; node !== null; node = walker.nextNode()) {
        if (node instanceof Text) {
          if (!node.parentElement?.closest('kbd, script, style')) found.push(node.data)
        } else if (node instanceof Element)
          for (const name of ['title', 'aria-label', 'aria-valuetext', 'placeholder', 'alt'])
            found.push(node.getAttribute(name) ?? '')
      }
    }
    return [...new Set(found.map((one) => one.trim()).filter((one) => one !== ''))]
  })

class Reader {
  readonly page: Page
  constructor(page: Page) {
    this.page = page
  }
  /** Reads a screen, and says what is wrong with its words. */
  async read(what: string, within: string): Promise<void> {
    const texts = await textsOn(this.page, within)
    expect(texts.filter((one) => one.startsWith('⟦')).length, `${what} is in the other language`).toBeGreaterThan(0)
    expect
      .soft(
        texts.filter((one) => leftIn(one).length > 0),
        `left in English on ${what}`,
      )
      .toEqual([])
    expect.soft(texts.filter(isGlued), `glued on ${what}`).toEqual([])
  }
}

/** Shows the window in the pseudo-language. */
async function translate(page: Page): Promise<void> {
  await page.evaluate(([key, text]) => localStorage.setItem(key, text), [
    TRIAL_KEY,
    JSON.stringify(pseudoTranslation()),
  ] as const)
  await page.reload()
  await expect(page.locator('html')).toHaveAttribute('lang', 'en-XA')
}

test('every word is translated, whole, and has room when it is a third longer', async ({ open }) => {
  test.setTimeout(240_000)
  const { page } = await open()
  await translate(page)
  const reader = new Reader(page)
  await expect(page.locator('[data-testid="big-price"]')).toHaveText(/\d/, { timeout: 30_000 })
  await reader.read('the frame', 'body')

  await test.step('dialogs', async () => {
    await page.keyboard.press('Control+,')
    const tabs = page.locator('dialog[open] [role="tab"]')
    await expect(tabs.first()).toBeVisible()
    for (const tab of await tabs.all()) {
      await tab.click()
      await expect(tab).toHaveAttribute('aria-selected', 'true')
      await reader.read(`settings, ${await tab.innerText()}`, 'dialog[open]')
    }
    await page.keyboard.press('Escape')
    for (const key of ['?', 'F1', 'Alt+e', 'Alt+i']) {
      await page.keyboard.press(key)
      await expect(page.locator('dialog[open]')).toBeVisible()
      await reader.read(key, 'dialog[open]')
      await page.keyboard.press('Escape')
      await expect(page.locator('dialog[open]')).toHaveCount(0)
    }
    await page.keyboard.press('Alt+b')
    const kinds = page.locator('dialog[open] select').first()
    for (const kind of await kinds
      .locator('option')
      .evaluateAll((all) => all.map((one) => one.getAttribute('value')))) {
      await kinds.selectOption(kind)
      await reader.read(`alert, ${kind}`, 'dialog[open]')
    }
    await page.keyboard.press('Escape')
  })
  await test.step('the palette and the tour', async () => {
    await page.keyboard.press('Control+k')
    await page.keyboard.type('eth-usd 5m')
    // What half of it finds are names of other symbols.
    await expect(page.getByRole('option').first()).toContainText('5m')
    await reader.read('the palette', '[role="search"]')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    await page.keyboard.press('F1')
    await page
      .locator('dialog[open] button', { hasText: pseudoTranslation().messages['Take the tour'] as string })
      .click() // a text
    const card = page.locator('[role="dialog"][aria-describedby="tour-text"]')
    for (let step = 0; step < 6; step++) {
      await expect(card).toBeVisible()
      const ring = await page.locator('.ring').boundingBox()
      expect(ring !== null && ring.width > 10 && ring.height > 10, `step ${step} of the tour points at something`).toBe(
        true,
      )
      await reader.read(`the tour, ${step}`, '[role="dialog"][aria-describedby="tour-text"]')
      await page.keyboard.press('ArrowRight')
    }
    await expect(card).toHaveCount(0)
  })
  await test.step('panes', async () => {
    for (const [key, kind] of [
      ['Alt+s', 'sessions'],
      ['Alt+v', 'evidence'],
      ['Alt+a', 'alerts'],
      ['Alt+y', 'technical'],
    ] as const) {
      await page.keyboard.press(key)
      const pane = `[role="tabpanel"][data-pane="${kind}"], .dv-groupview[data-pane="${kind}"]`
      await expect(page.locator(pane).first()).toBeVisible()
      await reader.read(kind, pane)
    }
  })
  await test.step('1024 × 640', async () => {
    await page.setViewportSize(SMALL)
    const wide = () =>
      page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.scrollHeight])
    await expect.poll(wide).toEqual([SMALL.width, SMALL.height])
    // The bars above and below keep to the window.
    for (const bar of ['header', 'footer']) {
      const boxes = await page
        .locator(`${bar} button:visible`)
        .evaluateAll((all) => all.map((one) => one.getBoundingClientRect()).map(({ left, right }) => ({ left, right })))
      expect(boxes.length).toBeGreaterThan(2)
      const sorted = boxes.toSorted((a, b) => a.left - b.left)
      expect
        .soft(
          sorted.every(({ right }) => right <= SMALL.width + 1),
          `${bar} fits`,
        )
        .toBe(true)
    }
    await page.keyboard.press('Control+,')
    for (const tab of await page.locator('dialog[open] [role="tab"]').all()) {
      await tab.click()
      const box = await page.locator('dialog[open]').evaluate((one) => {
        const { top, bottom } = one.getBoundingClientRect()
        return { top, bottom, sideways: one.scrollWidth - one.clientWidth }
      })
      expect.soft(box.top >= 0 && box.bottom <= SMALL.height && box.sideways <= 0, await tab.innerText()).toBe(true)
    }
  })
})

test('at the largest text size, the card and the pages of the settings keep what is a third longer', async ({
  open,
  home,
}) => {
  await writeFile(join(home, 'settings.json'), JSON.stringify({ appearance: { scale: 150 } }))
  const { page } = await open()
  await translate(page)
  const card = page.locator('aside', { has: page.locator('button.primary') })
  await expect(card).toBeVisible()
  const tooWide = await card.evaluate((one) => {
    const { right } = one.getBoundingClientRect()
    const inside = [...one.querySelectorAll('strong, p, button, summary')]
    return inside.filter((part) => part.getBoundingClientRect().right > right).map((part) => part.textContent)
  })
  expect(tooWide).toEqual([])
  await page.keyboard.press('Control+,')
  const tabs = page.locator('dialog[open] [role="tab"]')
  await expect(tabs.first()).toBeVisible()
  const cut = await tabs.evaluateAll((all) =>
    all.filter((one) => one.scrollHeight > one.clientHeight).map((one) => one.textContent),
  )
  expect(cut).toEqual([])
})

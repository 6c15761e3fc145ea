import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ADDRESS_BAR_PAGES, CHROMIUM_FLAGS } from '../../e2e/chromium-flags.ts'

it("goes without everything that Playwright's own flag, which it replaces, goes without", () => {
  const source = readFileSync('node_modules/playwright-core/lib/coreBundle.js', 'utf8')
  const list = /disabledFeatures = \[([^\]]*)\]/.exec(source)?.[1] ?? ''
  // Those of Edge are unknown to Chromium.
  const own = [...list.matchAll(/^\s*"(\w+)"/gm)].map(([, name]) => name).filter((name) => !name?.startsWith('ms'))
  expect(own.length).toBeGreaterThan(10)
  const flag = CHROMIUM_FLAGS.find((one) => one.startsWith('--disable-features=')) ?? ''
  expect(flag.slice('--disable-features='.length).split(',').sort()).toEqual([...own, ...ADDRESS_BAR_PAGES].sort())
})

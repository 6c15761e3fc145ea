import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { GUIDE, LIVE } from '../../../scripts/lib/shots-scenes.mjs'
import { PANE_KINDS } from '../../../src/shared/features/workspace/kinds.ts'

/** In every picture of the window as it starts. */
const ALWAYS = ['watchlist', 'chart', 'quote', 'tape']

it('every pane is in a picture', () => {
  const names = LIVE.map(({ name }) => name)
  for (const kind of PANE_KINDS.filter((kind) => !ALWAYS.includes(kind)))
    expect([kind, names.some((name) => name === kind || name.startsWith(`pane-${kind}`))]).toEqual([kind, true])
})

it('the pictures in docs are those that the script takes', () => {
  const taken = [
    ...['dark', 'light'].map((theme) => `live-${theme}.png`),
    ...GUIDE.map(({ name }) => `${name}-dark.png`),
  ]
  expect(readdirSync('docs/pictures').sort()).toEqual(taken.sort())
})

import { afterEach, expect, it } from 'vitest'
import { reloadOnNewAddress } from '../../../../src/renderer/state/transport.ts'

let stop = (): void => undefined
afterEach(() => stop())

it('loads the page anew for an address with a token that is pasted into the tab, and for no other move', () => {
  let token: string | null = null
  let reloads = 0
  stop = reloadOnNewAddress({ token: () => token }, () => reloads++)
  dispatchEvent(new Event('hashchange'))
  expect(reloads).toBe(0)
  token = 'fresh'
  dispatchEvent(new Event('hashchange'))
  expect(reloads).toBe(1)
  stop()
  dispatchEvent(new Event('hashchange'))
  expect(reloads).toBe(1)
})

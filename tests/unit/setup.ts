/** Loaded before every test file. */
import fc from 'fast-check'
import { vi } from 'vitest'

// By default fast-check draws about ten elements of a collection, whatever `maxLength` says, so long series would never
// be tested. An explicit maximum counts here.
fc.configureGlobal({ defaultSizeToMaxWhenMaxSpecified: true })

// What a test waits for comes at once, but not on a machine that is busy with something else: Vitest gives up after a
// second. vitest.config.ts has the same for `expect.poll`.
const { waitFor } = vi
vi.waitFor = (check, options) =>
  waitFor(check, { timeout: 15_000, ...(typeof options === 'number' ? { timeout: options } : options) })

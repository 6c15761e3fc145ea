/**
 * What a test waits for comes at once, but not on a machine that is busy with something else: Vitest gives up after a
 * second. vitest.config.ts has the same for `expect.poll`. A module, because the setup of files runs once for each of them.
 */
import { vi } from 'vitest'

const { waitFor } = vi
vi.waitFor = (check, options) =>
  waitFor(check, { timeout: 15_000, ...(typeof options === 'number' ? { timeout: options } : options) })

import { homedir } from 'node:os'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { userHome } from '../../../../src/main/base/user-home.ts'

vi.mock('node:os', { spy: true })

describe('userHome', () => {
  afterEach(() => vi.restoreAllMocks())

  it('is the home of a user whom the system knows', () => {
    expect(userHome()).toBe(homedir())
  })

  it('is the root folder for a user without one, such as that of a service of systemd', () => {
    vi.mocked(homedir).mockImplementation(() => {
      throw new Error('uv_os_homedir returned ENOENT (no such file or directory)')
    })
    expect(userHome()).toMatch(/^([A-Z]:\\|\/)$/)
  })
})

import { describe, expect, test, vi } from 'vitest'
import { openOutside } from '../../../../../src/main/features/desktop/open-external.ts'

describe('what is opened outside', () => {
  test.each(['https://example.com/a?b=c#d', 'http://localhost:8080/'])('%s', async (url) => {
    const open = vi.fn(() => Promise.resolve())
    await openOutside(open)(url)
    expect(open).toHaveBeenCalledExactlyOnceWith(url)
  })

  test.each([
    'file:///etc/passwd',
    'file://server/share/setup.exe',
    'javascript:alert(1)',
    'JavaScript:alert(1)//https://example.com',
    'data:text/html,<script>alert(1)</script>',
    'tapedeck://sessions',
    'app://tapedeck/',
    'ms-settings:privacy',
    'smb://server/share',
    'mailto:a@example.com',
    'blob:https://example.com/0b8a1c1e',
    'view-source:https://example.com/',
    '/etc/passwd',
    'C:\\Windows\\System32\\calc.exe',
    '\\\\server\\share',
    'https://',
    '',
  ])('never %s', async (url) => {
    const open = vi.fn(() => Promise.resolve())
    await expect(openOutside(open)(url)).rejects.toMatchObject({ code: 'bad-url' })
    expect(open).not.toHaveBeenCalled()
  })

  test('nothing where the host has no other programs', async () => {
    await expect(openOutside(undefined)('https://example.com/')).rejects.toMatchObject({ code: 'not-allowed' })
  })
})

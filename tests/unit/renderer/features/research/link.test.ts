// Before a link leaves the program: where it leads, and what can be done with it.
import '../../browser-stubs.ts'
import { cleanup, screen } from '@testing-library/svelte'
import { afterEach, describe, expect, it, vi } from 'vitest'
import LinkDialog from '../../../../../src/renderer/features/research/LinkDialog.svelte'
import { openWindow, render } from '../../open-window.ts'
import type { AppInfo } from '../../../../../src/shared/core/status/status.ts'
import { CodedError } from '../../../../../src/shared/base/errors.ts'
import { TestTransport } from '../../../../kit/transport.ts'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

function dialog(url: string, host: AppInfo['host'], failure: CodedError | null = null) {
  const transport = new TestTransport().answer('app.openExternal', () => {
    if (failure) throw failure
    return null
  })
  const app = openWindow(transport)
  app.info = { host, version: '', platform: '', storePath: '' }
  const onclose = vi.fn()
  render(LinkDialog, { app, url, onclose })
  return {
    app,
    opened: () => transport.callsOf('app.openExternal'),
    closed: () => onclose.mock.calls.length,
    async press(name: string) {
      screen.getByRole('button', { name }).click()
      await vi.waitFor(() => expect(onclose.mock.calls.length + app.toasts.told.length).toBeGreaterThan(0))
      await Promise.resolve()
    },
  }
}

describe('the question before a link', () => {
  it('names the host that it truly leads to, and shows the whole address', () => {
    const url = 'https://bank.example@evil.invalid/login?next=https://bank.example'
    dialog(url, 'electron')
    expect(screen.getByText('evil.invalid').tagName).toBe('STRONG')
    expect(screen.getByText(url)).toBeTruthy()
  })

  it.each(['javascript:alert(1)', 'file:///etc/passwd', 'data:text/html,x', 'no address'])(
    'does not offer to open %s',
    (url) => {
      dialog(url, 'electron')
      expect(screen.getByText('Not a valid link.')).toBeTruthy()
      expect(screen.queryByRole('button', { name: 'Open' })).toBeNull()
      expect(screen.getByRole('button', { name: 'Copy link' })).toBeTruthy()
    },
  )

  it('lets the terminal open it in Electron, and closes', async () => {
    const { press, opened, closed } = dialog('https://news.invalid/a b', 'electron')
    await press('Open')
    await vi.waitFor(() => expect(closed()).toBe(1))
    expect(opened()).toEqual([{ url: 'https://news.invalid/a%20b' }])
  })

  it('reports why the terminal couldn’t open it', async () => {
    const { app, press } = dialog('https://news.invalid/', 'electron', new CodedError('internal', 'Nothing opens it.'))
    await press('Open')
    await vi.waitFor(() => expect(app.toasts.told[0]?.text).toContain('Nothing opens it.'))
  })

  it('opens a new page in a browser, without access to this one', async () => {
    const open = vi.fn()
    vi.stubGlobal('open', open)
    const { press, opened, closed } = dialog('https://news.invalid/', 'browser')
    await press('Open')
    expect(open).toHaveBeenCalledWith('https://news.invalid/', '_blank', 'noopener,noreferrer')
    expect([opened(), closed()]).toEqual([[], 1])
  })

  it('copies the address as it was sent, and reports when the clipboard refuses it', async () => {
    const writeText = vi.fn().mockResolvedValueOnce(undefined).mockRejectedValueOnce(new Error('no'))
    vi.stubGlobal('navigator', { ...navigator, clipboard: { writeText } })
    const first = dialog('https://news.invalid/a b', 'browser')
    await first.press('Copy link')
    await vi.waitFor(() => expect(first.closed()).toBe(1))
    expect(writeText).toHaveBeenCalledWith('https://news.invalid/a b')
    cleanup()
    const second = dialog('https://news.invalid/a b', 'browser')
    await second.press('Copy link')
    await vi.waitFor(() => expect(second.app.toasts.told[0]?.tone).toBe('bad'))
    expect(second.closed()).toBe(0)
  })

  it('closes with Cancel and opens nothing', async () => {
    const { press, closed, opened } = dialog('https://news.invalid/', 'electron')
    await press('Cancel')
    expect([closed(), opened()]).toEqual([1, []])
  })
})

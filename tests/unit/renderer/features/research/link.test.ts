// Before a link leaves the program: where it leads, and what can be done with it.
import '../../browser-stubs.ts'
import { cleanup, screen } from '@testing-library/svelte'
import { afterEach, describe, expect, it, vi } from 'vitest'
import LinkDialog from '../../../../../src/renderer/features/research/LinkDialog.svelte'
import type { WindowState } from '../../../../../src/renderer/core/window/window.svelte.ts'
import { openWindow, render } from '../../open-window.ts'
import type { AppInfo } from '../../../../../src/shared/core/status/status.ts'
import type { Result } from '../../../../../src/shared/base/errors.ts'
import type { Transport } from '../../../../../src/shared/rpc/transport.ts'
import { FakeTerminal } from '../../fakes/fake-terminal.ts'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

interface Opened {
  readonly app: WindowState
  readonly closed: () => number
  readonly calls: { readonly name: string; readonly args: unknown }[]
  press(name: string): Promise<void>
}

function dialog(url: string, host: AppInfo['host'], answer: Result<null> = { ok: true, value: null }): Opened {
  const calls: { name: string; args: unknown }[] = []
  const base = new FakeTerminal()
  const transport: Transport = {
    invoke: async (name, args) => {
      if (name !== 'app.openExternal') return base.invoke(name, args)
      calls.push({ name, args })
      return answer as never // what the contract says of this call
    },
    subscribe: (name, args, onValue, onEnd) => base.subscribe(name, args, onValue, onEnd),
    onLink: (listener) => base.onLink(listener),
  }
  const app = openWindow(transport)
  app.info = { host } as AppInfo // of all it holds the dialog reads the host alone
  const onclose = vi.fn()
  render(LinkDialog, { app, url, onclose })
  return {
    app,
    calls,
    closed: () => onclose.mock.calls.length,
    async press(name) {
      screen.getByRole('button', { name }).click()
      await vi.waitFor(() =>
        expect(calls.length + onclose.mock.calls.length + app.toasts.told.length).toBeGreaterThan(0),
      )
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
    const { press, calls, closed } = dialog('https://news.invalid/a b', 'electron')
    await press('Open')
    await vi.waitFor(() => expect(closed()).toBe(1))
    expect(calls).toEqual([{ name: 'app.openExternal', args: { url: 'https://news.invalid/a%20b' } }])
  })

  it('tells when the terminal could not', async () => {
    const failure = { code: 'internal', message: 'Nothing opens it.' } as const
    const { app, press } = dialog('https://news.invalid/', 'electron', { ok: false, error: failure })
    await press('Open')
    await vi.waitFor(() => expect(app.toasts.told[0]?.text).toContain('Nothing opens it.'))
  })

  it('opens a page of its own in a browser, without a hold on this one', async () => {
    const open = vi.fn()
    vi.stubGlobal('open', open)
    const { press, calls, closed } = dialog('https://news.invalid/', 'browser')
    await press('Open')
    expect(open).toHaveBeenCalledWith('https://news.invalid/', '_blank', 'noopener,noreferrer')
    expect([calls, closed()]).toEqual([[], 1])
  })

  it('copies the address as it was sent, and says when the clipboard did not take it', async () => {
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

  it('is left by staying here', async () => {
    const { press, closed, calls } = dialog('https://news.invalid/', 'electron')
    await press('Cancel')
    expect([closed(), calls]).toEqual([1, []])
  })
})

import { EventEmitter } from 'node:events'
import type { App, Session } from 'electron'
import { describe, expect, test, vi } from 'vitest'
import {
  guardApp,
  guardSession,
  isOwnPage,
  isTrustedSender,
  replayWindowUrl,
} from '../../../../../src/main/hosts/electron/security.ts'

const OWN = 'app://tapedeck/'

describe('a page of ours', () => {
  test.each(['app://tapedeck/', 'app://tapedeck/index.html#x', 'app://tapedeck/?a=b'])('is %s', (url) => {
    expect(isOwnPage(url, OWN)).toBe(true)
  })

  test.each([
    '',
    'about:blank',
    'app://evil/',
    'app://tapedeck.evil/',
    'app://user@evil/tapedeck',
    'http://tapedeck/',
    'file:///etc/passwd',
    'https://tapedeck/',
    'javascript:alert(1)',
    'data:text/html,x',
    'xapp://tapedeck/',
  ])('is not %s', (url) => expect(isOwnPage(url, OWN)).toBe(false))

  test('while developing, is the dev server by its exact origin', () => {
    expect(isOwnPage('http://localhost:5173/x', 'http://localhost:5173')).toBe(true)
    expect(isOwnPage('http://localhost:5174/', 'http://localhost:5173')).toBe(false)
    expect(isOwnPage('app://tapedeck/', 'http://localhost:5173')).toBe(false)
  })
})

test('only the top frame of a page of ours is trusted', () => {
  expect(isTrustedSender({ url: OWN, parent: null }, OWN)).toBe(true)
  expect(isTrustedSender({ url: OWN, parent: {} }, OWN)).toBe(false)
  expect(isTrustedSender({ url: 'https://evil.test/', parent: null }, OWN)).toBe(false)
  expect(isTrustedSender(null, OWN)).toBe(false)
})

test('permissions and devices are denied, but for copying from our own page', () => {
  const handlers: Record<string, (...args: unknown[]) => unknown> = {}
  const keep = (name: string) => (handler: (...args: unknown[]) => unknown) => void (handlers[name] = handler)
  // As much of a session as the guard touches.
  const session = {
    setPermissionRequestHandler: keep('request'),
    setPermissionCheckHandler: keep('check'),
    setDevicePermissionHandler: keep('device'),
  } as unknown as Session
  guardSession(session, OWN)
  const ask = (permission: string, requestingUrl: string): unknown => {
    const answer = vi.fn()
    handlers.request?.({}, permission, answer, { requestingUrl })
    expect(answer).toHaveBeenCalledOnce()
    return answer.mock.calls[0]?.[0]
  }
  for (const permission of ['notifications', 'geolocation', 'media', 'midi', 'clipboard-read', 'openExternal', 'usb']) {
    expect(ask(permission, OWN)).toBe(false)
    expect(handlers.check?.({}, permission, OWN)).toBe(false)
  }
  expect(ask('clipboard-sanitized-write', OWN)).toBe(true)
  expect(ask('clipboard-sanitized-write', 'https://evil.test/')).toBe(false)
  expect(handlers.device?.({})).toBe(false)
})

test('every page stays where it is, opens nothing and embeds nothing', () => {
  const app = new EventEmitter()
  const logged: string[] = []
  const replays: string[] = []
  guardApp(
    app as unknown as App,
    OWN,
    (_level, text) => logged.push(text),
    (url) => replays.push(url),
  )
  let page = OWN
  let openHandler: ((details: { url: string }) => unknown) | undefined
  const contents = Object.assign(new EventEmitter(), {
    setWindowOpenHandler: (handler: typeof openHandler) => void (openHandler = handler),
    getURL: () => page,
  })
  app.emit('web-contents-created', {}, contents)
  const prevented = (name: string, url: string): boolean => {
    const event = { url, preventDefault: vi.fn() }
    contents.emit(name, event)
    return event.preventDefault.mock.calls.length > 0
  }
  for (const name of ['will-navigate', 'will-redirect', 'will-frame-navigate']) {
    expect(prevented(name, 'https://evil.test/')).toBe(true)
    expect(prevented(name, 'file:///etc/passwd')).toBe(true)
    expect(prevented(name, OWN)).toBe(false) // a reload
  }
  expect(prevented('will-attach-webview', OWN)).toBe(true)
  expect(openHandler?.({ url: OWN })).toEqual({ action: 'deny' })
  expect(replays).toEqual([])
  // A window of our own is made by us; the page never makes one.
  const replay = `${OWN}#replay=01jbq1a2,01jbq8w4&at=1795240996992`
  expect(openHandler?.({ url: replay })).toEqual({ action: 'deny' })
  expect(replays).toEqual([replay])
  page = 'https://evil.test/'
  openHandler?.({ url: replay })
  expect(replays).toHaveLength(1)
  expect(logged.join()).not.toContain('evil.test')
})

test('the only further window is one of our own page that shows a replay', () => {
  expect(replayWindowUrl(`${OWN}#replay=01jbq1a2`, OWN)).toBe(`${OWN}#replay=01jbq1a2`)
  for (const url of [
    'https://evil.test/#replay=01jbq1a2',
    'app://other/#replay=01jbq1a2',
    'file:///#replay=01jbq1a2',
    'javascript:alert(1)',
    OWN,
    `${OWN}#token=abc`,
    `${OWN}#replay=`,
    `${OWN}#replay=../../x`,
    `${OWN}#replay=01jbq1a2&token=abc`,
    `${OWN}other.html#replay=01jbq1a2`,
    `${OWN}?x#replay=01jbq1a2`,
  ])
    expect(replayWindowUrl(url, OWN)).toBeUndefined()
})

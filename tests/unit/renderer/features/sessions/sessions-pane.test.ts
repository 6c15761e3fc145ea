import '../../browser-stubs.ts'
import { cleanup, fireEvent, screen } from '@testing-library/svelte'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import SessionsPane from '../../../../../src/renderer/features/sessions/SessionsPane.svelte'
import type { WindowState } from '../../../../../src/renderer/core/window/window.svelte.ts'
import { makeSession } from '../../../../kit/market.ts'
import { WindowTerminal } from '../../../../kit/window-terminal.ts'
import { openWindow, render } from '../../open-window.ts'

let terminal: WindowTerminal
let app: WindowState
beforeAll(async () => {
  terminal = await WindowTerminal.start()
  // Another session is being recorded from then on.
  await terminal.control('recordSession')
})
afterAll(() => terminal.close())
afterEach(() => {
  vi.restoreAllMocks()
  cleanup()
  app.close()
})

async function open(): Promise<HTMLElement> {
  app = openWindow(terminal)
  await terminal.settle()
  render(SessionsPane, { app })
  const grid = await screen.findByRole('grid', { name: 'Sessions' })
  await vi.waitFor(() => expect(rows()).toHaveLength(2))
  return grid
}
/** The rows of sessions, newest first, without the headings. */
const rows = (): HTMLElement[] => screen.getAllByRole('row').filter((row) => row.title !== '')

it('says why the session being recorded can’t be deleted', async () => {
  const grid = await open()
  await fireEvent.click(rows()[0])
  await fireEvent.keyDown(grid, { key: 'Delete' })
  expect(app.toasts.list.at(-1)?.text).toMatch(/^This session is still being recorded\./)
  expect(terminal.callsOf('sessions.bin')).toEqual([])
})

it('doesn’t call a session recording while its recorder fails', async () => {
  vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(900)
  await open()
  expect(rows()[0]?.textContent).toContain('Recording')
  const why = { code: 'disk-full', message: 'The disk is full.', hint: '', closeCode: null } as const
  terminal.alter('status', (status) => ({
    ...status,
    recorder: { is: 'broken', why, sinceMs: status.nowMs, lost: 0 },
  }))
  await vi.waitFor(() => expect(rows()[0]?.textContent).toContain('Interrupted'))
  expect(rows()[0]?.textContent).not.toContain('Recording')
})

it('keeps the focus in the list when the row that had it is deleted', async () => {
  const grid = await open()
  const [, ended] = rows()
  await fireEvent.click(ended)
  ended.focus()
  await fireEvent.keyDown(ended, { key: 'Delete' })
  await vi.waitFor(() => expect(rows()).toHaveLength(1))
  expect(document.activeElement).toBe(grid)
})

it('tells the whole of a name that is cut off', async () => {
  vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(900)
  terminal.answer('sessions.list', () => [
    makeSession('01a', { name: 'Payrolls and minutes of the committee, '.repeat(3) }),
    makeSession('01b', {}),
  ])
  await open()
  expect(screen.getByText(/^Payrolls/).title).toHaveLength(117)
})

it.each([
  ['in its column', 900, 'Corrupt'],
  ['at its name where there is no room for the column', 300, 'Corrupt –'],
])('says of a corrupt session that it is, %s', async (_where, width, text) => {
  vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(width)
  const ended = { live: false, clean: true }
  terminal.answer('sessions.list', () => [makeSession('01a', { ...ended, isCorrupt: true }), makeSession('01b', ended)])
  await open()
  const cells = rows().map((row) => row.textContent.replace(/\s+/g, ' '))
  expect(cells.find((one) => one.includes(text))).toBeDefined()
  expect(cells.filter((one) => one.includes('Corrupt'))).toHaveLength(1)
  expect(cells.join()).not.toContain('Complete')
})

it('gives the reason of a corrupt session in its details, by key, and verifies it from there', async () => {
  const ended = { live: false, clean: true }
  terminal.answer('sessions.list', () => [makeSession('01a', { ...ended, isCorrupt: true }), makeSession('01b', ended)])
  const grid = await open()
  const reason = () => screen.queryByText(/^Some of what is stored is corrupt\./)
  expect(reason()).toBeNull()
  for (const [key, isShown] of [
    ['Home', true],
    ['End', false],
    ['Home', true],
  ] as const) {
    await fireEvent.keyDown(grid, { key })
    await fireEvent.keyDown(grid, { key: ' ' })
    await screen.findByRole('dialog', { name: 'Session' })
    expect(reason() !== null).toBe(isShown)
    if (key === 'Home') continue
    await fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
  }
  await fireEvent.input(screen.getByRole('textbox', { name: 'Notes' }), { target: { value: 'Half an hour after CPI' } })
  await fireEvent.click(screen.getByRole('button', { name: 'Save and Verify' }))
  expect(terminal.callsOf('sessions.annotate')).toMatchObject([{ notes: 'Half an hour after CPI' }])
  expect(terminal.callsOf('evidence.verify')).toHaveLength(1)
  expect(screen.queryByRole('dialog', { name: 'Session' })).toBeNull()
})

it('lists the sessions again once a verification ended', async () => {
  await open()
  const before = terminal.callsOf('sessions.list').length
  const result = await app.transport.invoke('evidence.verify', { session: null })
  expect(result.ok).toBe(true)
  await vi.waitFor(() => expect(terminal.callsOf('sessions.list').length).toBeGreaterThan(before))
})

import '../../browser-stubs.ts'
import { cleanup, screen } from '@testing-library/svelte'
import { tick } from 'svelte'
import { afterEach, describe, expect, it, vi } from 'vitest'
import AppSettings from '../../../../../src/renderer/core/settings/AppSettings.svelte'
import type { WindowState } from '../../../../../src/renderer/core/window/window.svelte.ts'
import { openWindow, render } from '../../open-window.ts'
import Banner from '../../../../../src/renderer/core/frame/Banner.svelte'
import { unixMs } from '../../../../../src/shared/base/units.ts'
import { FakeTerminal } from '../../fakes/fake-terminal.ts'

let app: WindowState | undefined
afterEach(() => {
  cleanup()
  app?.close()
  app = undefined
})
async function open() {
  const state = openWindow(new FakeTerminal())
  app = state
  await vi.waitFor(() => expect(state.status !== undefined && state.info !== undefined).toBe(true))
  return state
}

describe('what a screen reader is told', () => {
  it('of a full disk says what and why, and not every count that follows', async () => {
    const state = await open()
    const broken = (lost: number) => {
      if (!state.status) throw new Error('no status')
      const why = {
        code: 'disk-error' as const,
        message: 'The disk is full.',
        hint: 'Free some room.',
        closeCode: null,
      }
      state.status = { ...state.status, recorder: { is: 'broken', why, sinceMs: unixMs(0), lost } }
    }
    broken(1_234)
    const { container } = render(Banner, { app: state })
    const alert = screen.getByRole('alert')
    expect(alert.textContent).toBe('The disk is full. Free some room.')
    expect(container.textContent).toContain('1,234 messages not stored.')
    broken(5_678)
    await tick()
    expect(screen.getByRole('alert')).toBe(alert)
    expect(alert.textContent).toBe('The disk is full. Free some room.')
    expect(container.textContent).toContain('5,678 messages not stored.')
  })
  it('of a download says that it is, and not each percent', async () => {
    const state = await open()
    const done = (share: number) => {
      const release = { version: '9.9.9', notes: '', dateMs: null }
      state.update = { is: 'downloading', release, done: share, bytesPerSecond: 1_000_000 }
    }
    done(0.2)
    const { container } = render(AppSettings, { app: state })
    const told = () => screen.getAllByRole('status').map((one) => one.textContent)
    expect(told()).toContain('Downloading 9.9.9…')
    expect(container.textContent).toContain('20 %')
    const before = told()
    done(0.6)
    await tick()
    expect(container.textContent).toContain('60 %')
    expect(told()).toEqual(before)
  })
})

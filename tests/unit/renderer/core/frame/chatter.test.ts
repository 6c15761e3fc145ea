import '../../browser-stubs.ts'
import { cleanup, screen } from '@testing-library/svelte'
import { tick } from 'svelte'
import { afterEach, describe, expect, it } from 'vitest'
import AppSettings from '../../../../../src/renderer/core/settings/AppSettings.svelte'
import type { WindowState } from '../../../../../src/renderer/core/window/window.svelte.ts'
import { openWindow, render } from '../../open-window.ts'
import Banner from '../../../../../src/renderer/core/frame/Banner.svelte'
import { unixMs } from '../../../../../src/shared/base/units.ts'
import { WindowTerminal } from '../../../../kit/window-terminal.ts'

let app: WindowState | undefined
afterEach(() => {
  cleanup()
  app?.close()
  app = undefined
  terminal.close()
})
let terminal: WindowTerminal
async function open() {
  terminal = await WindowTerminal.start({ feeds: false })
  app = openWindow(terminal)
  await terminal.settle()
  return app
}

describe('a screen reader', () => {
  it('hears what a full disk means and what to do, and not every count that follows', async () => {
    const state = await open()
    const broken = (lost: number) => {
      const why = {
        code: 'disk-error' as const,
        message: 'The disk is full.',
        hint: 'Free some room.',
        closeCode: null,
      }
      terminal.alter('status', (status) => ({ ...status, recorder: { is: 'broken', why, sinceMs: unixMs(0), lost } }))
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
  it('hears that a download runs, and not each percent', async () => {
    const state = await open()
    const done = (share: number) => {
      const release = { version: '9.9.9', notes: '', dateMs: null }
      state.update = { is: 'downloading', release, done: share, bytesPerSecond: 1_000_000 }
    }
    done(0.2)
    const { container } = render(AppSettings, { app: state })
    const statuses = () => screen.getAllByRole('status').map((one) => one.textContent)
    expect(statuses()).toContain('Downloading 9.9.9…')
    expect(container.textContent).toContain('20 %')
    const before = statuses()
    done(0.6)
    await tick()
    expect(container.textContent).toContain('60 %')
    expect(statuses()).toEqual(before)
  })
})

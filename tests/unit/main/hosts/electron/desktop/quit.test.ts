import { beforeEach, describe, expect, it, vi } from 'vitest'

const showMessageBox = vi.fn<(options: { buttons: string[]; cancelId: number }) => Promise<unknown>>()
vi.mock('electron', () => ({ dialog: { showMessageBox } }))
const { askToQuit } = await import('../../../../../../src/main/hosts/electron/desktop/quit.ts')

const setSettings = vi.fn(() => Promise.resolve())
const log = vi.fn()
// All that the question uses of a terminal.
const terminal = { setSettings, log } as unknown as Parameters<typeof askToQuit>[0]
const answered = (response: number, checkboxChecked = false) =>
  showMessageBox.mockResolvedValueOnce({ response, checkboxChecked })

beforeEach(() => {
  showMessageBox.mockReset()
  setSettings.mockClear()
})

describe('the question before a recording is ended', () => {
  it.each([
    [true, 0, 'end'],
    [true, 1, 'window'],
    [true, 2, 'stay'],
    [true, 9, 'stay'],
    [false, 0, 'end'],
    [false, 1, 'stay'],
    [false, 2, 'stay'],
  ])('with a window: %s, takes button %i for %s', async (window, response, answer) => {
    answered(response)
    expect(await askToQuit(terminal, window)).toBe(answer)
    expect(showMessageBox).toHaveBeenCalledTimes(1)
    expect(setSettings).not.toHaveBeenCalled()
  })
  it.each([true, false])('stays when it is put away, which is its last button (with a window: %s)', async (window) => {
    answered(2)
    await askToQuit(terminal, window)
    const [{ buttons, cancelId }] = showMessageBox.mock.calls[0]
    expect(buttons).toHaveLength(window ? 3 : 2)
    expect(buttons[cancelId]).toBe('Cancel')
  })
  it('is not asked again only by who quits', async () => {
    answered(1, true)
    await askToQuit(terminal, true)
    expect(setSettings).not.toHaveBeenCalled()
    answered(0, true)
    await askToQuit(terminal, true)
    expect(setSettings).toHaveBeenCalledExactlyOnceWith({ desktop: { askOnQuit: false } })
  })
  it('quits even if that can’t be saved', async () => {
    answered(0, true)
    setSettings.mockRejectedValueOnce(new Error('no space left'))
    expect(await askToQuit(terminal, true)).toBe('end')
    expect(log).toHaveBeenCalledExactlyOnceWith('warn', 'desktop', expect.any(String), 'Error: no space left')
  })
})

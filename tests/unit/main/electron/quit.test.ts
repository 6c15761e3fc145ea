import { beforeEach, describe, expect, it, vi } from 'vitest'

const showMessageBox = vi.fn<(options: { buttons: string[]; cancelId: number }) => Promise<unknown>>()
vi.mock('electron', () => ({ dialog: { showMessageBox } }))
const { askToQuit } = await import('../../../../src/main/electron/quit.ts')

const setSettings = vi.fn(() => Promise.resolve())
// All that the question uses of a terminal.
const terminal = { setSettings } as unknown as Parameters<typeof askToQuit>[0]
const answered = (response: number, checkboxChecked = false) =>
  showMessageBox.mockResolvedValueOnce({ response, checkboxChecked })

beforeEach(() => {
  showMessageBox.mockReset()
  setSettings.mockClear()
})

describe('the question before a recording is ended', () => {
  it.each([
    [0, 'end'],
    [1, 'window'],
    [2, 'stay'],
    [9, 'stay'],
  ])('takes button %i for %s', async (response, answer) => {
    answered(response)
    expect(await askToQuit(terminal)).toBe(answer)
    expect(showMessageBox).toHaveBeenCalledTimes(1)
    expect(setSettings).not.toHaveBeenCalled()
  })
  it('stays when it is put away, which is its last button', async () => {
    answered(2)
    await askToQuit(terminal)
    const [{ buttons, cancelId }] = showMessageBox.mock.calls[0]
    expect(buttons[cancelId]).toBe('Cancel')
  })
  it('is not asked again only by who quits', async () => {
    answered(1, true)
    await askToQuit(terminal)
    expect(setSettings).not.toHaveBeenCalled()
    answered(0, true)
    await askToQuit(terminal)
    expect(setSettings).toHaveBeenCalledExactlyOnceWith({ desktop: { askOnQuit: false } })
  })
})

import { beforeEach, describe, expect, it, vi } from 'vitest'

const showMessageBox = vi.fn<
  (
    options: Record<'title' | 'message' | 'detail', string> & {
      buttons: string[]
      cancelId: number
      checkboxLabel?: string
    },
  ) => Promise<unknown>
>()
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
    expect(await askToQuit(terminal, window, false)).toBe(answer)
    expect(showMessageBox).toHaveBeenCalledTimes(1)
    expect(setSettings).not.toHaveBeenCalled()
  })
  it.each([true, false])('stays when it is put away, which is its last button (with a window: %s)', async (window) => {
    answered(2)
    await askToQuit(terminal, window, false)
    const [{ buttons, cancelId }] = showMessageBox.mock.calls[0]
    expect(buttons).toHaveLength(window ? 3 : 2)
    expect(buttons[cancelId]).toBe('Cancel')
  })
  it.each([
    [false, /is recording/, /stop recording/, /^The recording is saved\./, /keep recording/, true],
    [true, /can’t save/, /lose unsaved/, /^The store can’t be written to\. .* will be lost/, /keep trying/, false],
  ])('says what is lost; unsaved: %s', async (isUnsaved, title, message, detail, window, canBeLast) => {
    answered(0)
    await askToQuit(terminal, true, isUnsaved)
    const [texts] = showMessageBox.mock.calls[0]
    expect(texts.title).toMatch(title)
    expect(texts.message).toMatch(message)
    expect(texts.detail).toMatch(detail)
    expect(texts.buttons[1]).toMatch(window)
    expect(texts.checkboxLabel !== undefined).toBe(canBeLast)
  })
  it('is not asked again only by who quits', async () => {
    answered(1, true)
    await askToQuit(terminal, true, false)
    expect(setSettings).not.toHaveBeenCalled()
    answered(0, true)
    await askToQuit(terminal, true, false)
    expect(setSettings).toHaveBeenCalledExactlyOnceWith({ desktop: { askOnQuit: false } })
  })
  it('quits even if that can’t be saved', async () => {
    answered(0, true)
    setSettings.mockRejectedValueOnce(new Error('no space left'))
    expect(await askToQuit(terminal, true, false)).toBe('end')
    expect(log).toHaveBeenCalledExactlyOnceWith('warn', 'desktop', expect.any(String), 'Error: no space left')
  })
})

import { describe, expect, it } from 'vitest'
import { DEFAULT_SETTINGS, FEATURE_SETTINGS } from '../../../../kit/settings.ts'
import { safeSettings } from '../../../../../src/main/core/settings/safe-settings.ts'
import { createSettingsStore, isNew, memorySettings } from '../../../../../src/main/core/settings/settings.ts'

const kept = () =>
  memorySettings(JSON.stringify({ appearance: { theme: 'light' }, numbers: 'de-CH', research: { dailyCalls: 7 } }))

describe('the settings of safe mode', () => {
  it('are looks as after a first start, and all the rest as ever', () => {
    const settings = safeSettings(createSettingsStore(kept(), FEATURE_SETTINGS), true, FEATURE_SETTINGS)
    expect(settings.get()).toMatchObject({ appearance: DEFAULT_SETTINGS.appearance, numbers: 'en-US' })
    expect(settings.get().research.dailyCalls).toBe(7)
  })

  it('keep what is no look, and a look for this run only', () => {
    const keeper = kept()
    const settings = safeSettings(createSettingsStore(keeper, FEATURE_SETTINGS), true, FEATURE_SETTINGS)
    settings.set({ appearance: { theme: 'contrast' }, research: { dailyCalls: 8 } })
    expect(settings.get()).toMatchObject({ appearance: { theme: 'contrast' }, research: { dailyCalls: 8 } })
    const again = createSettingsStore(memorySettings(keeper.text), FEATURE_SETTINGS).get()
    expect(again).toMatchObject({ appearance: { theme: 'light' }, numbers: 'de-CH', research: { dailyCalls: 8 } })
  })

  it('refuse what the others refuse', () => {
    const settings = safeSettings(createSettingsStore(kept(), FEATURE_SETTINGS), true, FEATURE_SETTINGS)
    expect(() => settings.set({ appearance: { scale: 7 as 100 } })).toThrow('aren’t valid') // what a window could send
  })

  it('are the saved ones once safe mode ends, and every listener is notified', () => {
    const settings = safeSettings(createSettingsStore(kept(), FEATURE_SETTINGS), true, FEATURE_SETTINGS)
    const themes: string[] = []
    settings.onChange((now, before) => themes.push(`${before.appearance.theme} ${now.appearance.theme}`))
    settings.leave()
    settings.leave()
    expect(themes).toEqual(['dark light'])
    expect(settings.safe).toBe(false)
    settings.set({ numbers: 'en-IN' })
    expect(settings.get()).toMatchObject({ numbers: 'en-IN', appearance: { theme: 'light' } })
  })
})

describe('settings that go into safe mode while they run', () => {
  it('show the theme of a first start, and the saved one again afterwards', () => {
    const settings = safeSettings(createSettingsStore(kept(), FEATURE_SETTINGS), false, FEATURE_SETTINGS)
    expect(settings.get().appearance.theme).toBe('light')
    settings.enter()
    settings.enter()
    expect(settings.safe).toBe(true)
    expect(settings.get().appearance.theme).toBe('dark')
    settings.set({ appearance: { scale: 130 } })
    settings.leave()
    expect(settings.get().appearance).toMatchObject({ theme: 'light', scale: 100 })
  })
})

describe('a first start', () => {
  it('is one without settings; what cannot be read was there before', () => {
    expect(isNew(memorySettings())).toBe(true)
    expect(isNew(memorySettings('{}'))).toBe(false)
    const torn = memorySettings('')
    torn.load = () => {
      throw new Error('EACCES')
    }
    expect(isNew(torn)).toBe(false)
  })
})

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { CodedError } from '../../../../../src/shared/base/errors.ts'
import { DEFAULT_SETTINGS, FEATURE_SETTINGS } from '../../../../kit/settings.ts'
import { appHome } from '../../../../../src/main/core/settings/paths.ts'
import { createSettingsStore, settingsFile, memorySettings } from '../../../../../src/main/core/settings/settings.ts'
import { exportSettings } from '../../../../../src/shared/features/export/settings.ts'
import type { SettingsSection } from '../../../../../src/shared/core/settings/settings.ts'
import { FEATURES } from '../../../../../src/main/hosts/features.ts'
import type { MainFeature } from '../../../../../src/main/terminal/feature.ts'
import { makeFolder } from '../../../../kit/folder.ts'

let folder: string
beforeEach(() => {
  folder = makeFolder('settings')
})

describe('the settings store', () => {
  it('starts with defaults, writes nothing until asked', () => {
    expect(createSettingsStore(settingsFile(folder), FEATURE_SETTINGS).get()).toEqual(DEFAULT_SETTINGS)
    expect(readdirSync(folder)).toEqual([])
  })

  it('merges sections one level deep and gives the same after a restart', () => {
    const store = createSettingsStore(settingsFile(folder), FEATURE_SETTINGS)
    store.set({ appearance: { theme: 'light' }, zone: 'America/New_York' })
    store.set({ appearance: { density: 'compact' } })
    const again = createSettingsStore(settingsFile(folder), FEATURE_SETTINGS)
    expect(again.get().appearance).toEqual({ ...DEFAULT_SETTINGS.appearance, theme: 'light', density: 'compact' })
    expect(again.get().zone).toBe('America/New_York')
    expect(readdirSync(folder)).toEqual(['settings.json'])
  })

  it('keeps what another process saved meanwhile, apart from what it changes itself', () => {
    const window = createSettingsStore(settingsFile(folder), FEATURE_SETTINGS)
    window.set({ zone: 'Asia/Tokyo' })
    const account = { source: 'service', baseUrl: 'https://a.example', user: 'ann' } as const
    createSettingsStore(settingsFile(folder)).set({ account, zone: 'UTC' })
    expect(window.set({ zone: 'Europe/Berlin' }).account.source).toBe('demo')
    const next = createSettingsStore(settingsFile(folder), FEATURE_SETTINGS).get()
    expect([next.zone, next.account]).toMatchObject(['Europe/Berlin', account])
    writeFileSync(join(folder, 'settings.json'), 'cut off')
    window.set({ numbers: 'de-CH' })
    expect(createSettingsStore(settingsFile(folder), FEATURE_SETTINGS).get()).toEqual(window.get())
  })

  it('sets a corrupt file aside, reports it and starts with the defaults', () => {
    writeFileSync(join(folder, 'settings.json'), '{"zone": "UTC"')
    const store = createSettingsStore(settingsFile(folder), FEATURE_SETTINGS)
    expect(store.get()).toEqual(DEFAULT_SETTINGS)
    expect(store.problem).toContain('settings.bad.json')
    expect(readFileSync(join(folder, 'settings.bad.json'), 'utf8')).toBe('{"zone": "UTC"')
    expect(existsSync(join(folder, 'settings.json'))).toBe(false)
  })

  it('leaves sections that nobody registered in the file, in their places', () => {
    const stored = { zone: 'UTC', exports: { presets: 7 }, coming: { soon: [1] }, numbers: 'de-CH' }
    const file = memorySettings(JSON.stringify(stored))
    const store = createSettingsStore(file)
    expect(store.problem).toBeNull()
    expect(store.get()).not.toHaveProperty('coming')
    store.set({ zone: 'Asia/Tokyo' })
    const saved = JSON.parse(file.text ?? '') as Record<string, unknown> // the object just saved
    expect(saved).toEqual({ ...store.get(), exports: { presets: 7 }, coming: { soon: [1] } })
    expect(Object.keys(saved).slice(0, 4)).toEqual(Object.keys(stored))
  })

  it('parses a section only where its feature is registered', () => {
    const preset = { name: 'Excel', bom: true }
    const file = memorySettings(JSON.stringify({ exports: { presets: [preset] }, research: { dailyCalls: 7 } }))
    const store = createSettingsStore(file, [exportSettings])
    expect(store.get().exports.presets).toEqual([preset])
    store.set({ exports: { presets: [] } })
    expect(createSettingsStore(file, FEATURE_SETTINGS).get()).toMatchObject({
      exports: { presets: [] },
      research: { dailyCalls: 7 },
    })
  })

  it('refuses two sections with one name', () => {
    expect(() => createSettingsStore(memorySettings(), [exportSettings, exportSettings])).toThrow('named exports')
  })

  it('has every section once all features of the product have started', () => {
    const sections = (features: readonly MainFeature[]): readonly SettingsSection[] =>
      features.flatMap(({ needs, settings = [] }) => [...settings, ...sections(Object.values(needs))])
    const names = new Set(sections(FEATURES).map(({ name }) => name))
    expect(names).toEqual(new Set(FEATURE_SETTINGS.map(({ name }) => name)))
  })

  it('tells listeners the new and the old, until they leave', () => {
    const store = createSettingsStore(memorySettings(), FEATURE_SETTINGS)
    const seen: string[] = []
    const leave = store.onChange((now, before) => seen.push(`${before.zone}>${now.zone}`))
    store.set({ zone: 'Asia/Tokyo' })
    leave()
    store.set({ zone: 'UTC' })
    expect(seen).toEqual(['UTC>Asia/Tokyo'])
  })

  it('refuses a patch that is no settings and keeps what it had', () => {
    const store = createSettingsStore(memorySettings(), FEATURE_SETTINGS)
    const huge = Array.from({ length: 2_001 }, () => ({ asset: 'crypto' as const, symbol: 'A' }))
    const mine = [{ id: 'mine', name: 'Mine', sort: null, symbols: [] }]
    store.set({ watchlists: mine })
    const tooMany = { watchlists: [{ id: 'a', name: 'a', sort: null, symbols: huge }] }
    for (const patch of [
      { version: 2 },
      { account: 'x' },
      tooMany,
      { watchlists: [] },
      { appearance: { theme: 'pink' } },
    ]) {
      expect(() => store.set(patch as never)).toThrow(CodedError)
    }
    expect(store.get().watchlists).toEqual(mine)
    expect(store.set({ unheardOf: 1, zone: 'UTC' } as never).zone).toBe('UTC')
  })

  it('keeps running on the old settings when the disk refuses', () => {
    const keeper = memorySettings()
    const store = createSettingsStore({
      ...keeper,
      save: () => {
        throw new Error('ENOSPC')
      },
    })
    expect(() => store.set({ zone: 'Asia/Tokyo' })).toThrow(/Couldn’t save the settings/)
    expect(store.get().zone).toBe('UTC')
  })

  it('survives any text in the file', () => {
    const hostile = fc.oneof(fc.string(), fc.json(), fc.constant('{"__proto__":{"zone":"x"}}'))
    fc.assert(
      fc.property(hostile, (text) => {
        const settings = createSettingsStore(memorySettings(text), FEATURE_SETTINGS).get()
        expect(settings.version).toBe(1)
        expect(settings.watchlists.length).toBeGreaterThan(0)
        expect(Object.getPrototypeOf(settings)).toBe(Object.prototype)
      }),
    )
  })
})

describe('appHome', () => {
  const cases: [string, Parameters<typeof appHome>[0], string][] = [
    ['Linux', { platform: 'linux', home: '/home/a', env: {} }, '/home/a/.local/share/tapedeck'],
    ['XDG', { platform: 'linux', home: '/home/a', env: { XDG_DATA_HOME: '/d' } }, '/d/tapedeck'],
    ['macOS', { platform: 'darwin', home: '/Users/a', env: {} }, '/Users/a/Library/Application Support/Tapedeck'],
    ['override', { platform: 'win32', home: 'C:', env: { TAPEDECK_HOME: '/x', APPDATA: '/y' } }, '/x'],
  ]
  it.each(cases)('%s', (_name, surroundings, expected) => expect(appHome(surroundings)).toBe(expected))
})

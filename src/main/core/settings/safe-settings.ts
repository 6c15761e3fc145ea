/** Settings in safe mode: default appearance, changed for this run only; everything else as usual. */
import {
  withCoreSections,
  type Settings,
  type SettingsPatch,
  type SettingsSection,
} from '../../../shared/core/settings/settings.ts'
import { Listeners } from '../../../shared/base/listeners.ts'
import { createSettingsStore, memorySettings, type SettingsStore } from './settings.ts'

export interface SafeSettings extends SettingsStore {
  readonly safe: boolean
  /** Enters safe mode. */
  enter(): void
  /** Leaves safe mode: the stored appearance applies again. */
  leave(): void
}

function split(patch: SettingsPatch, appearance: ReadonlySet<string>) {
  const entries = Object.entries(patch)
  return {
    appearance: Object.fromEntries(entries.filter(([name]) => appearance.has(name))) as SettingsPatch, // part of a patch
    rest: Object.fromEntries(entries.filter(([name]) => !appearance.has(name))) as SettingsPatch,
  }
}

/** The settings of `stored`; while `safe`, its appearance is neither read nor written. */
export function safeSettings(
  stored: SettingsStore,
  safe: boolean,
  features: readonly SettingsSection[] = [],
): SafeSettings {
  const listeners = new Listeners<[now: Settings, before: Settings]>()
  const appearance = createSettingsStore(memorySettings(), features)
  const names = new Set(
    withCoreSections(features)
      .filter((one) => one.isAppearance)
      .map((one) => one.name),
  )
  const effective = (): Settings => {
    const shown = Object.entries(appearance.get()).filter(([name]) => names.has(name))
    return safe ? { ...stored.get(), ...Object.fromEntries(shown) } : stored.get()
  }
  let current = effective()
  const notify = (): Settings => {
    const before = current
    current = effective()
    listeners.call(current, before)
    return current
  }
  return {
    problem: stored.problem,
    get: () => current,
    set(patch) {
      if (!safe) stored.set(patch)
      else {
        const parts = split(patch, names)
        if (Object.keys(parts.appearance).length > 0) appearance.set(parts.appearance)
        if (Object.keys(parts.rest).length > 0) stored.set(parts.rest)
      }
      return notify()
    },
    onChange: listeners.add,
    get safe() {
      return safe
    },
    enter() {
      if (safe) return
      safe = true
      notify()
    },
    leave() {
      if (!safe) return
      safe = false
      notify()
    },
  }
}

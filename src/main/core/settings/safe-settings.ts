/** Settings in safe mode: appearance as after the first start and changed for this run only; the rest as usual. */
import type { Settings, SettingsPatch } from '../../../shared/core/settings/settings.ts'
import { createSettingsStore, memorySettings, type SettingsStore } from './settings.ts'

/** Settings that decide how a window is drawn: safe mode replaces them. */
const APPEARANCE = [
  'appearance',
  'shortcuts',
  'palette',
  'workspace',
  'drawing',
  'zone',
  'numbers',
  'dates',
] as const satisfies readonly (keyof Settings)[]

export interface SafeSettings extends SettingsStore {
  readonly safe: boolean
  /** Enters safe mode. */
  enter(): void
  /** Leaves safe mode: the stored appearance applies again. */
  leave(): void
}

function split(patch: SettingsPatch): { readonly appearance: SettingsPatch; readonly rest: SettingsPatch } {
  const isAppearance = ([key]: readonly [string, unknown]): boolean => APPEARANCE.some((one) => one === key)
  const entries = Object.entries(patch)
  return {
    appearance: Object.fromEntries(entries.filter(isAppearance)),
    rest: Object.fromEntries(entries.filter((entry) => !isAppearance(entry))),
  }
}

/** The settings of `stored`; while `safe`, its appearance is neither read nor written. */
export function safeSettings(stored: SettingsStore, safe: boolean): SafeSettings {
  const listeners = new Set<(now: Settings, before: Settings) => void>()
  const appearance = createSettingsStore(memorySettings())
  const effective = (): Settings => {
    const now = appearance.get()
    return safe ? { ...stored.get(), ...Object.fromEntries(APPEARANCE.map((key) => [key, now[key]])) } : stored.get()
  }
  let current = effective()
  const notify = (): Settings => {
    const before = current
    current = effective()
    for (const listener of [...listeners]) listener(current, before)
    return current
  }
  return {
    problem: stored.problem,
    get: () => current,
    set(patch) {
      if (!safe) stored.set(patch)
      else {
        const parts = split(patch)
        if (Object.keys(parts.appearance).length > 0) appearance.set(parts.appearance)
        if (Object.keys(parts.rest).length > 0) stored.set(parts.rest)
      }
      return notify()
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
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

/** Settings of safe mode: looks as after a first start, changed for this run only; all the rest as ever. */
import type { Settings, SettingsPatch } from '../../../shared/core/settings/settings.ts'
import { createSettingsStore, memoryKeeper, type SettingsStore } from './settings.ts'

/** What safe mode leaves out: whatever decides how a window is drawn. */
const LOOKS = [
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
  /** Begins safe mode while it runs. */
  enter(): void
  /** Ends safe mode: what is kept counts again. */
  leave(): void
}

function split(patch: SettingsPatch): { readonly looks: SettingsPatch; readonly rest: SettingsPatch } {
  const isLook = ([key]: readonly [string, unknown]): boolean => LOOKS.some((look) => look === key)
  const entries = Object.entries(patch)
  return {
    looks: Object.fromEntries(entries.filter(isLook)),
    rest: Object.fromEntries(entries.filter((entry) => !isLook(entry))),
  }
}

/** `kept`, seen through safe mode while `safe`: its looks are neither read nor written. */
export function safeSettings(kept: SettingsStore, safe: boolean): SafeSettings {
  const listeners = new Set<(now: Settings, before: Settings) => void>()
  const looks = createSettingsStore(memoryKeeper())
  const seen = (): Settings => {
    const now = looks.get()
    return safe ? { ...kept.get(), ...Object.fromEntries(LOOKS.map((key) => [key, now[key]])) } : kept.get()
  }
  let current = seen()
  const tell = (): Settings => {
    const before = current
    current = seen()
    for (const listener of [...listeners]) listener(current, before)
    return current
  }
  return {
    problem: kept.problem,
    get: () => current,
    set(patch) {
      if (!safe) kept.set(patch)
      else {
        const parts = split(patch)
        if (Object.keys(parts.looks).length > 0) looks.set(parts.looks)
        if (Object.keys(parts.rest).length > 0) kept.set(parts.rest)
      }
      return tell()
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
      tell()
    },
    leave() {
      if (!safe) return
      safe = false
      tell()
    },
  }
}

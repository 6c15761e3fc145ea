/** The settings on disk: one JSON file without secrets, replaced atomically. */
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { CodedError, messageOf } from '../../../shared/base/errors.ts'
import {
  mergeSettings,
  parseSettings,
  withCoreSections,
  type Settings,
  type SettingsPatch,
  type SettingsSection,
} from '../../../shared/core/settings/settings.ts'
import { Listeners } from '../../../shared/base/listeners.ts'
import { notSaved, readWhole, replaceWhole } from '../../base/whole-file.ts'

export interface SettingsStore {
  get(): Settings
  /** Merges, validates and saves. Throws `bad-arguments` for an invalid patch, `disk-error` if it cannot be saved. */
  set(patch: SettingsPatch): Settings
  onChange(listener: (now: Settings, before: Settings) => void): () => void
  /** What was wrong with the file at startup, as a sentence; null: nothing. */
  readonly problem: string | null
}

/** Where settings are saved. `load` returns null if nothing was saved yet. */
export interface SettingsFile {
  load(): string | null
  save(text: string): void
  /** Renames a file that cannot be parsed, so that nothing is lost. */
  setAside(): void
}

/** `settings.json` in a folder. A bad one becomes `settings.bad.json`. */
export function settingsFile(folder: string): SettingsFile {
  const file = join(folder, 'settings.json')
  return {
    load: () => readWhole(file),
    save: (text) => replaceWhole(file, text),
    setAside: () => renameSync(file, join(folder, 'settings.bad.json')),
  }
}

/** Whether nothing was ever saved. */
export function isNew(file: SettingsFile): boolean {
  try {
    return file.load() === null
  } catch {
    return false // the file exists but can't be read
  }
}

/** Settings that last as long as the process. */
export function memorySettings(text: string | null = null): SettingsFile & { readonly text: string | null } {
  let saved = text
  return {
    get text() {
      return saved
    },
    load: () => saved,
    save: (next) => {
      saved = next
    },
    setAside: () => {
      saved = null
    },
  }
}

interface Loaded {
  readonly settings: Settings
  /** The parsed file, so that keys without a section stay in it, in their order. */
  readonly stored: object
  readonly problem: string | null
}

function read(file: SettingsFile, sections: readonly SettingsSection[]): Loaded {
  const defaults = (problem: string | null): Loaded => ({ settings: parseSettings(sections, {}), stored: {}, problem })
  let text: string | null
  try {
    text = file.load()
  } catch (error) {
    return defaults(`Couldn’t read the settings (${messageOf(error)}). Using the defaults.`)
  }
  if (text === null) return defaults(null)
  try {
    const stored: unknown = JSON.parse(text)
    if (typeof stored !== 'object' || stored === null) throw new TypeError('the file isn’t a JSON object')
    return { settings: parseSettings(sections, stored), stored, problem: null }
  } catch {
    try {
      file.setAside()
    } catch {
      // In a read-only folder the bad file stays where it is, so nothing is lost.
      return defaults('The settings file is corrupt, and couldn’t be renamed. Using the defaults.')
    }
    return defaults('The settings file was corrupt. It was saved as settings.bad.json; using the defaults.')
  }
}

/** Whether every known key of a patch was applied rather than replaced by its default. */
function isApplied(patch: unknown, got: unknown): boolean {
  if (typeof patch !== 'object' || patch === null) return Object.is(patch, got)
  if (typeof got !== 'object' || got === null || Array.isArray(patch) !== Array.isArray(got)) return false
  if (Array.isArray(patch) && patch.length !== (got as unknown[]).length) return false // both are arrays here
  return Object.entries(patch).every(
    ([key, value]) =>
      value === undefined || !Object.hasOwn(got, key) || isApplied(value, (got as Record<string, unknown>)[key]), // an own key
  )
}

/**
 * Opens the settings of the core and of `features`. Never throws: a bad file gives the defaults and a `problem`.
 * Sections of other features stay in the file as they are.
 */
export function createSettingsStore(file: SettingsFile, features: readonly SettingsSection[] = []): SettingsStore {
  const sections = withCoreSections(features)
  const { settings, stored, problem } = read(file, sections)
  const listeners = new Listeners<[now: Settings, before: Settings]>()
  let current = settings
  /** What to save: the patch over what another process saved meanwhile, such as the account of `login`. */
  const onDisk = (patch: SettingsPatch, next: Settings): object => {
    try {
      const text = file.load()
      const now: unknown = text === null ? null : JSON.parse(text)
      if (typeof now === 'object' && now !== null && !Array.isArray(now)) {
        return { ...now, ...mergeSettings(sections, parseSettings(sections, now), patch) }
      }
    } catch {
      // Missing or corrupt by now: what this process knows is the best there is.
    }
    return { ...stored, ...next }
  }
  return {
    problem,
    get: () => current,
    set(patch) {
      const before = current
      let next: Settings
      try {
        next = mergeSettings(sections, before, patch)
        // The schema falls back to defaults, which is right for an old file but would wipe lists in a patch.
        if (!isApplied(patch, next)) throw new TypeError('a value is out of range')
      } catch (cause) {
        throw new CodedError('bad-arguments', 'These settings aren’t valid.', { cause })
      }
      try {
        file.save(JSON.stringify(onDisk(patch, next), null, 2))
      } catch (cause) {
        throw notSaved('Couldn’t save the settings.', cause)
      }
      current = next
      listeners.call(next, before)
      return next
    },
    onChange: listeners.add,
  }
}

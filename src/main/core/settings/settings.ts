/** The settings on disk: one JSON file, replaced whole, never half written; no secret is in it. */
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as v from 'valibot'
import { CodedError } from '../../../shared/base/errors.ts'
import {
  DEFAULT_SETTINGS,
  mergeSettings,
  settingsSchema,
  type Settings,
  type SettingsPatch,
} from '../../../shared/core/settings/settings.ts'

export interface SettingsStore {
  get(): Settings
  /** Merges, validates, stores; throws `bad-arguments` on an invalid patch, `disk-error` when it cannot be kept. */
  set(patch: SettingsPatch): Settings
  onChange(listener: (now: Settings, before: Settings) => void): () => void
  /** What was wrong with the file at the start, in a sentence; null when nothing was. */
  readonly problem: string | null
}

/** Where settings are kept. `load` answers null when nothing was kept yet. */
export interface SettingsKeeper {
  load(): string | null
  save(text: string): void
  /** Keeps a file that cannot be read aside, so that nothing of the user's is lost. */
  setAside(): void
}

/** `settings.json` in a folder: written beside, synced, renamed. A bad one is kept as `settings.bad.json`. */
export function fileKeeper(folder: string): SettingsKeeper {
  const file = join(folder, 'settings.json')
  return {
    load: () => (existsSync(file) ? readFileSync(file, 'utf8') : null),
    save(text) {
      mkdirSync(dirname(file), { recursive: true })
      const beside = `${file}.${process.pid}.tmp`
      const handle = openSync(beside, 'w', 0o600)
      try {
        writeSync(handle, text)
        fsyncSync(handle)
      } finally {
        closeSync(handle)
      }
      renameSync(beside, file)
    },
    setAside: () => renameSync(file, join(folder, 'settings.bad.json')),
  }
}

/** Whether nothing was ever kept. */
export function isNew(keeper: SettingsKeeper): boolean {
  try {
    return keeper.load() === null
  } catch {
    return false // something is there that cannot be read
  }
}

/** Settings that last as long as the process. */
export function memoryKeeper(text: string | null = null): SettingsKeeper & { readonly text: string | null } {
  let kept = text
  return {
    get text() {
      return kept
    },
    load: () => kept,
    save: (next) => {
      kept = next
    },
    setAside: () => {
      kept = null
    },
  }
}

function read(keeper: SettingsKeeper): { settings: Settings; problem: string | null } {
  let text: string | null
  try {
    text = keeper.load()
  } catch (error) {
    return {
      settings: DEFAULT_SETTINGS,
      problem: `The settings could not be read (${reason(error)}); defaults are used.`,
    }
  }
  if (text === null) return { settings: DEFAULT_SETTINGS, problem: null }
  try {
    return { settings: v.parse(settingsSchema, JSON.parse(text)), problem: null }
  } catch {
    try {
      keeper.setAside()
    } catch {
      // A read-only folder keeps the bad file where it is: nothing is lost either.
    }
    return {
      settings: DEFAULT_SETTINGS,
      problem: 'The settings were damaged; they are kept as settings.bad.json and defaults are used.',
    }
  }
}

const reason = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** Whether every known key that was asked for came out as asked, and not as its fallback. */
function asAsked(asked: unknown, got: unknown): boolean {
  if (typeof asked !== 'object' || asked === null) return Object.is(asked, got)
  if (typeof got !== 'object' || got === null || Array.isArray(asked) !== Array.isArray(got)) return false
  if (Array.isArray(asked) && asked.length !== (got as unknown[]).length) return false // both are arrays here
  return Object.entries(asked).every(
    ([key, value]) =>
      value === undefined || !Object.hasOwn(got, key) || asAsked(value, (got as Record<string, unknown>)[key]), // an own key
  )
}

/** Opens the settings; whatever is kept, this never fails. */
export function createSettingsStore(keeper: SettingsKeeper): SettingsStore {
  const { settings, problem } = read(keeper)
  const listeners = new Set<(now: Settings, before: Settings) => void>()
  let current = settings
  return {
    problem,
    get: () => current,
    set(patch) {
      const before = current
      let next: Settings
      try {
        next = mergeSettings(before, patch)
        // The schema falls back to defaults, which is right for an old file and wrong for a wish: it would wipe lists.
        if (!asAsked(patch, next)) throw new TypeError('a value is out of its range')
      } catch (cause) {
        throw new CodedError('bad-arguments', 'These settings are not valid.', { cause })
      }
      try {
        keeper.save(JSON.stringify(next, null, 2))
      } catch (cause) {
        throw new CodedError('disk-error', 'The settings could not be saved.', {
          hint: 'Check free space and the rights of the folder.',
          cause,
        })
      }
      current = next
      for (const listener of [...listeners]) listener(next, before)
      return next
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

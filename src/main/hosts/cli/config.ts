/** `tapedeck config`: shows and changes settings. */
import { jsonLine } from '../../base/json-schema.ts'
import { dirname } from 'node:path'
import { makeFolder } from '../../base/make-folder.ts'
import { CodedError, toFailure } from '../../../shared/base/errors.ts'
import { closest } from '../../../shared/base/closest.ts'
import type { SettingsPatch } from '../../../shared/core/settings/settings.ts'
import { defineCommand, UsageError, type Context, type Values } from '../../command-line/command.ts'
import { EXIT } from '../../command-line/exit.ts'
import { allowedPatch } from '../../core/settings/settings-patch.ts'
import { createSettingsStore, settingsFile, type SettingsStore } from '../../core/settings/settings.ts'
import { lockStore } from '../../core/store/schema/lock.ts'
import { storePath } from '../../core/store/store-path.ts'

export const config = defineCommand({
  storeless: true,
  positionals: '[KEY [VALUE]]',
  emptyValue: true,
  examples: [
    ['Every setting', ''],
    ['One of them', 'recording.enabled'],
    ['Change it', 'recording.storePath /mnt/large/tapedeck.db'],
  ],
  options: {},
  async run(values, context) {
    const [key, value, ...more] = values.texts('')
    if (more.length > 0) throw new UsageError('config takes a key and a value; quote a value with spaces')
    const store = await openSettings(context)
    const all = leavesOf(store.get())
    const json = values.on('json')
    if (key === undefined) {
      if (json) context.out(jsonLine('config', { settings: store.get() }))
      else for (const [name, one] of all) context.out(`${name} = ${JSON.stringify(one)}\n`)
      return EXIT.ok
    }
    const found = valueAt(store.get(), key)
    if (found === undefined) throw unknownKey(key, [...all.keys()])
    if (value !== undefined) change(store, key, typedLike(found, value), values, context)
    const now = valueAt(store.get(), key)
    context.out(json ? jsonLine('setting', { key, value: now }) : `${textOf(now)}\n`)
    return EXIT.ok
  },
})

async function openSettings(context: Context): Promise<SettingsStore> {
  // The sections of every feature: only this command needs them all.
  const { FEATURES } = await import('../features.ts')
  const store = createSettingsStore(
    settingsFile(context.dataDir),
    FEATURES.flatMap(({ settings = [] }) => settings),
  )
  if (store.problem !== null) context.err(`tapedeck: ${store.problem}\n`)
  return store
}

type Plain = Readonly<Record<string, unknown>>
const isPlain = (value: unknown): value is Plain => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Values by dotted key; lists are values. */
function leavesOf(settings: object): ReadonlyMap<string, unknown> {
  const leaves = new Map<string, unknown>()
  const add = (path: string, value: unknown): void => {
    if (isPlain(value) && Object.keys(value).length > 0) {
      for (const [name, inner] of Object.entries(value)) add(path === '' ? name : `${path}.${name}`, inner)
    } else leaves.set(path, value)
  }
  add('', settings)
  return leaves
}

function valueAt(settings: object, key: string): unknown {
  let at: unknown = settings
  for (const name of key.split('.')) {
    if (!isPlain(at) || !Object.hasOwn(at, name)) return undefined
    at = at[name]
  }
  return at
}

/** A typed value as JSON, or as text where the setting is text. */
function typedLike(now: unknown, typed: string): unknown {
  if (typeof now === 'string') return typed
  try {
    return JSON.parse(typed) as unknown
  } catch {
    return typed
  }
}

/** Throws CodedError `not-allowed`, `bad-arguments` or `store-locked`. */
function change(store: SettingsStore, key: string, value: unknown, values: Values, context: Context): void {
  const [section = '', field = '', ...inner] = key.split('.')
  const now = valueAt(store.get(), section)
  if (field === '' && isPlain(now)) {
    throw new UsageError(
      `${key} is a section: name one of its settings, such as ${key}.${Object.keys(now)[0] ?? 'NAME'}`,
    )
  }
  if (key === 'version') {
    throw new CodedError('not-allowed', 'version can’t be changed here.', { hint: 'It is that of the settings file.' })
  }
  const patch: SettingsPatch = {
    [section]: field === '' ? value : { [field]: within(valueAt(store.get(), `${section}.${field}`), inner, value) },
  }
  if (Object.keys(allowedPatch(patch)).length === 0) {
    throw new CodedError('not-allowed', `${key} can’t be changed here.`, {
      hint:
        section === 'account'
          ? 'Sign in with "tapedeck login" or the window.'
          : 'Turn it on or off in the window, or with tapedeck record.',
    })
  }
  // A running Tapedeck reads its settings at its start only, so the change would seem to do nothing.
  const file = storePath(values, context)
  makeFolder(dirname(file))
  const lock = lockStore(file)
  try {
    store.set(patch)
  } catch (thrown) {
    if (toFailure(thrown).code !== 'bad-arguments') throw thrown
    throw new CodedError('usage', `${textOf(value)} isn’t a valid value of ${key}.`, { cause: thrown })
  } finally {
    lock.release()
  }
}

/** A setting with the value at a path inside it replaced. */
function within(now: unknown, path: readonly string[], value: unknown): unknown {
  const [name, ...rest] = path
  if (name === undefined) return value
  return { ...(isPlain(now) ? now : {}), [name]: within(isPlain(now) ? now[name] : undefined, rest, value) }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value, null, 2))

function unknownKey(key: string, keys: readonly string[]): CodedError {
  const near = closest(key, keys)
  return new CodedError('usage', `There is no setting ${key}.`, {
    hint: near === undefined ? '"tapedeck config" lists them.' : `Did you mean ${near}?`,
  })
}

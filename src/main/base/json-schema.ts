/** Names of the JSON objects that other programs read. */

/**
 * Each shape and its version. Keys may be added within a version; any other change raises it. One shape has one name,
 * and one function makes it: `tests/unit/house/json-schemas.test.ts`. A plural is an object with a list of the singular.
 */
const VERSIONS = {
  /** An alert that fired, as actions send it. */
  alert: 1,
  /** An alert as `alerts` lists it. */
  'alert-definition': 1,
  'alert-events': 1,
  /** What a dry run of an alert on a session found. */
  'alert-test': 1,
  /** Alerts as the API takes and returns them. */
  alerts: 1,
  archive: 1,
  backup: 1,
  config: 1,
  doctor: 1,
  endpoint: 1,
  /** What an export wrote. */
  export: 1,
  /** A feed, and what is stored of it. */
  feed: 1,
  'fetch-session': 1,
  gap: 1,
  gaps: 1,
  health: 1,
  import: 1,
  info: 1,
  /** The review of a session. Version 1 had camel case and milliseconds. */
  journal: 2,
  login: 1,
  logout: 1,
  move: 1,
  /** A replay that is open in a terminal. */
  'open-replay': 1,
  plan: 1,
  /** What was recorded. Version 1 had the number of gaps as `gaps`. */
  record: 2,
  /** What a replay on the command line came to. */
  replay: 1,
  'replay-server': 1,
  replays: 1,
  restore: 1,
  /** An alert with its state, as the API returns it. */
  'saved-alert': 1,
  serve: 1,
  session: 1,
  /** A session that was saved as a file. */
  'session-file': 1,
  sessions: 1,
  setting: 1,
  simulate: 1,
  stats: 1,
  symbol: 1,
  symbols: 1,
  sync: 1,
  team: 1,
  verify: 1,
} as const

export type JsonSchemaName = keyof typeof VERSIONS

/** The value of `schema`, such as `tapedeck/session/1`. */
export const schemaName = (name: JsonSchemaName): string => `tapedeck/${name}/${VERSIONS[name]}`

/** An object that names its shape first. */
export const withSchema = <T extends object>(name: JsonSchemaName, value: T): { readonly schema: string } & T => ({
  schema: schemaName(name),
  ...value,
})

/** The same as a line. */
export const jsonLine = (name: JsonSchemaName, value: object): string => `${JSON.stringify(withSchema(name, value))}\n`

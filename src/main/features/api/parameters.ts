/** Finds the endpoint of a request and checks its parameters against the endpoint's row. */
import { CodedError } from '../../../shared/base/errors.ts'
import { parseInstant } from '../../command-line/times.ts'
import { ENDPOINT_LIST, type Endpoint, type EndpointId, type Parameter, type Parameters } from './endpoints.ts'

export interface Match {
  readonly id: EndpointId
  readonly endpoint: Endpoint
  readonly path: Readonly<Record<string, string>>
}

const ROUTES = ENDPOINT_LIST.map(([id, endpoint]) => ({
  id,
  endpoint,
  pattern: new RegExp(`^${endpoint.path.replaceAll('.', '\\.').replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`),
}))

/** The endpoint of a method and path; else the methods that the path has, none if there is no such path. */
export function findEndpoint(method: string, pathname: string): Match | readonly string[] {
  const methods: string[] = []
  for (const { id, endpoint, pattern } of ROUTES) {
    const match = pattern.exec(pathname)
    if (match === null) continue
    if (endpoint.method !== method) {
      methods.push(endpoint.method)
      continue
    }
    const path = Object.fromEntries(
      Object.entries(match.groups ?? {}).map(([name, text]) => [name, decodePart(text)] as const),
    )
    return { id, endpoint, path }
  }
  return methods
}

function decodePart(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw usage(`The address holds "${text}", which isn’t percent-encoded text.`)
  }
}

const usage = (message: string): CodedError => new CodedError('usage', message)

/** Reads the parameters of a request. Throws CodedError `usage` with a sentence about the first that is wrong. */
export function readParameters(
  { query = {} }: Endpoint,
  path: Match['path'],
  given: URLSearchParams,
  nowMs: number,
): Parameters {
  const names = Object.keys(query)
  const unknown = [...given.keys()].find((name) => !names.includes(name))
  if (unknown !== undefined) {
    throw usage(`There is no parameter "${unknown}"${names.length === 0 ? '' : `. There are: ${names.join(', ')}`}.`)
  }
  const texts = new Map<string, readonly string[]>(Object.entries(path).map(([name, text]) => [name, [text]]))
  const numbers = new Map<string, number>()
  for (const [name, row] of Object.entries(query)) {
    const values = given.getAll(name)
    if (values.length === 0 && row.isRequired === true) throw usage(`"${name}" is missing.`)
    if (values.length > 1 && row.isList !== true) throw usage(`"${name}" can be given once.`)
    for (const value of values) check(name, row, value, nowMs, numbers)
    texts.set(name, values)
  }
  return {
    text: (name) => texts.get(name)?.[0],
    list: (name) => texts.get(name) ?? [],
    number: (name) => numbers.get(name),
    flag: (name) => texts.get(name)?.[0] === 'true',
  }
}

function check(name: string, row: Parameter, value: string, nowMs: number, numbers: Map<string, number>): void {
  switch (row.type) {
    case 'text':
      // As when a script's variable isn't set.
      if (value === '') throw usage(`"${name}" is empty.`)
      if (row.choices?.includes(value) === false) {
        throw usage(`"${name}" takes ${row.choices.join(', ')}, not "${value}".`)
      }
      return
    case 'time': {
      const ms = parseInstant(value, { nowMs, zone: 'UTC' })
      if (ms === undefined) throw usage(`"${name}" takes a time, such as 2026-01-05T09:30:00Z, not "${value}".`)
      numbers.set(name, ms)
      return
    }
    case 'whole': {
      if (!/^\d{1,15}$/.test(value)) throw usage(`"${name}" takes a whole number, not "${value}".`)
      numbers.set(name, Number(value))
      return
    }
    case 'flag':
      if (value !== 'true' && value !== 'false') throw usage(`"${name}" is true or false, not "${value}".`)
  }
}

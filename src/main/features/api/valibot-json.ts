/** JSON Schema of valibot schemas, so that a document says what the code checks. */
import type * as v from 'valibot'

export interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly enum?: readonly (string | null)[]
  readonly const?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly items?: JsonSchema
  readonly additionalProperties?: boolean | JsonSchema
  readonly oneOf?: readonly JsonSchema[]
  readonly format?: string
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly $ref?: string
}

type Schema = v.GenericSchema
/** What the kinds of schemas have besides their type. */
interface Parts {
  readonly type: string
  readonly requirement?: unknown
  /** Its checks, and the schema that they began with, which may have checks, too. */
  readonly pipe?: readonly Parts[]
  readonly entries?: Readonly<Record<string, Schema>>
  readonly options?: readonly unknown[]
  readonly literal?: string
  readonly item?: Schema
  readonly wrapped?: Schema
  readonly message?: unknown
}

/** The keywords of a number's or text's checks. */
const KEYWORDS: Readonly<Record<string, keyof JsonSchema>> = {
  min_value: 'minimum',
  max_value: 'maximum',
  gt_value: 'exclusiveMinimum',
  max_length: 'maxLength',
}

/** The JSON Schema of an object, a choice, a text, a number, a flag or a list of them. Checks in code aren't in it. */
export function jsonSchemaOf(schema: Schema): JsonSchema {
  const parts = schema as unknown as Parts // each kind has some of them
  switch (parts.type) {
    case 'strict_object':
      return objectOf(parts.entries ?? {})
    case 'variant':
    case 'union':
      return { oneOf: (parts.options as readonly Schema[]).map(jsonSchemaOf) } // of these two kinds, schemas
    case 'optional':
      return parts.wrapped === undefined ? {} : jsonSchemaOf(parts.wrapped)
    case 'literal':
      return { const: parts.literal }
    case 'picklist':
      return { type: 'string', enum: parts.options as readonly string[] } // of this kind, texts
    case 'array':
      return { type: 'array', items: parts.item === undefined ? {} : jsonSchemaOf(parts.item) }
    case 'custom':
      return { type: 'string', description: `${String(parts.message)}.`.replace(/^./, (first) => first.toUpperCase()) }
    default:
      return plainOf(parts)
  }
}

function objectOf(entries: Readonly<Record<string, Schema>>): JsonSchema {
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, jsonSchemaOf(entry)])),
    required: Object.keys(entries).filter((name) => entries[name].type !== 'optional'),
  }
}

function plainOf(parts: Parts): JsonSchema {
  const checks = checksOf(parts)
  const found = checks.filter(({ type }) => Object.hasOwn(KEYWORDS, type))
  return {
    type: checks.some(({ type }) => type === 'integer') ? 'integer' : parts.type,
    ...Object.fromEntries(found.map(({ type, requirement }) => [KEYWORDS[type], requirement])),
  }
}

const checksOf = ({ pipe = [] }: Parts): readonly Parts[] =>
  pipe.flatMap((one, i) => (one.pipe !== undefined && i === 0 ? checksOf(one) : one))

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { schemaName, type JsonSchemaName } from '../../../src/main/base/json-schema.ts'
import { SCHEMAS } from '../../../src/main/features/api/schemas.ts'

const src = fileURLToPath(new URL('../../../src/', import.meta.url))
const sources = readdirSync(src, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => ({ file, text: readFileSync(join(src, file), 'utf8') }))

/** The places that make an object of a shape, by its name. */
const makers = new Map<string, string[]>()
for (const { file, text } of sources)
  for (const [, name] of text.matchAll(/\b(?:withSchema|jsonLine)\(\s*'([^']+)'/g))
    makers.set(name, [...(makers.get(name) ?? []), file])

it('one place makes the objects of a JSON schema, so that no two shapes share its name', () => {
  expect([...makers].filter(([, files]) => files.length > 1)).toEqual([])
})

it('every name of a JSON schema is in use', () => {
  const table = sources.find(({ file }) => file.endsWith('json-schema.ts'))?.text ?? ''
  const names = [...table.matchAll(/^ {2}'?([a-z-]+)'?: \d+,$/gm)].map(([, name]) => name)
  expect(names.length).toBeGreaterThan(20)
  expect(names.filter((name) => !makers.has(name))).toEqual([])
})

it('only the columns of files and the documents of a dataset name a schema elsewhere', () => {
  const found = sources.flatMap(({ text }) => [...text.matchAll(/'tapedeck\/([a-z-]+)\/\d/g)].map(([, name]) => name))
  expect(new Set(found)).toEqual(new Set(['ticks', 'bars', 'dataset']))
})

it('each schema of the API is described once', () => {
  const described = Object.values(SCHEMAS).flatMap((one) => {
    const properties = ('properties' in one ? one.properties : undefined) ?? {}
    return 'schema' in properties ? [(properties.schema as { const: string }).const] : []
  })
  expect(new Set(described).size).toBe(described.length)
  expect(described).toContain(schemaName('session' satisfies JsonSchemaName))
})

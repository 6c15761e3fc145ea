/** docs/api is what the tables say. `npx vitest run tests/unit/main/features/api -u` writes it again. */
import { format } from 'oxfmt'
import { expect, it } from 'vitest'
import { asyncApi, openApi } from '../../../../../src/main/features/api/documents.ts'
import { ENDPOINT_LIST } from '../../../../../src/main/features/api/endpoints.ts'
import { ALERT_KINDS } from '../../../../../src/shared/features/alerts/types.ts'

it.each([
  ['openapi.json', openApi],
  ['asyncapi.json', asyncApi],
])('docs/api/%s', async (name, make) => {
  const path = new URL(`../../../../../docs/api/${name}`, import.meta.url).pathname
  const { code, errors } = await format(path, JSON.stringify(make()), { printWidth: 120 })
  expect(errors).toEqual([])
  await expect(code).toMatchFileSnapshot(path)
})

it('names only schemas that exist, and every endpoint once', () => {
  const text = JSON.stringify(openApi())
  const { components } = openApi() as { components: { schemas: Record<string, unknown> } } // as it is made
  const named = [...text.matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => name)
  expect(named.filter((name) => !Object.hasOwn(components.schemas, name))).toEqual([])
  const places = ENDPOINT_LIST.map(([, { method, path }]) => `${method} ${path}`)
  expect(new Set(places).size).toBe(places.length)
})

it('says what each condition of an alert takes, with both names of durations', () => {
  type Shape = {
    readonly properties: Record<string, { readonly const?: string }>
    readonly required: readonly string[]
  }
  const { components } = openApi() as {
    components: { schemas: { AlertDraft: { properties: { condition: { oneOf: readonly Shape[] } } } } }
  } // as it is made
  const { oneOf } = components.schemas.AlertDraft.properties.condition
  expect(oneOf.map(({ properties }) => properties.is.const)).toEqual(ALERT_KINDS)
  const [, move] = oneOf
  expect(move.properties).toMatchObject({
    percent: { type: 'number', exclusiveMinimum: 0, maximum: 100_000 },
    withinMs: { type: 'integer', minimum: 1_000 },
    within_seconds: { type: 'number' },
  })
  expect(move.required).toEqual(['is', 'of', 'percent', 'direction'])
})

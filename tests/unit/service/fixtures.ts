/** The folders of tests/fixtures as cases. */
import { readdirSync, readFileSync } from 'node:fs'
import { FEED_IDS, type FeedId } from '../../../src/shared/base/units.ts'

export interface FixtureCase {
  readonly feed: FeedId
  readonly name: string
  readonly bytes: Uint8Array
  readonly text: string
  readonly expected: unknown
}

const root = new URL('../../fixtures/', import.meta.url)

export const FIXTURES: readonly FixtureCase[] = FEED_IDS.flatMap((feed) => {
  const folder = new URL(`${feed.replace('/', '-')}/`, root)
  return readdirSync(folder).map((name) => {
    const bytes = readFileSync(new URL(`${name}/frame.json`, folder))
    const expected: unknown = JSON.parse(readFileSync(new URL(`${name}/expected.json`, folder), 'utf8'))
    return { feed, name, bytes, text: bytes.toString(), expected }
  })
})

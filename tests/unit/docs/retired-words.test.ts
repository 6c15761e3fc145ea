/** The words that the glossary retires stay out of code, comments and documents. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../../..')
const FILES = ['src/**/*.{ts,svelte,css,html}', 'docs/**/*.md', '*.md'].flatMap((pattern) =>
  globSync(pattern, { cwd: ROOT }),
)

/** Each with what to write instead. The glossary itself may name them. */
const RETIRED: readonly (readonly [word: RegExp, instead: string])[] = [
  [/\bspelt\b|\bspellings?\b|\bspelled\b/i, 'alias, symbol'],
  [/\bwish(es)?\b/i, 'subscription, request'],
  [/\bholes?\b/i, 'gap'],
  [/\btorn\b/i, 'corrupt'],
  [/rehears/i, 'dry run'],
  [/\brhythm/i, 'rate, interval'],
  [/\bdesks?\b/i, 'host bridge, source, controller'],
  [/keeper\b/i, 'store, file'],
  [/\brigs?\b/i, 'replay state'],
  [/\bwhoever\b/i, 'the thing that acts'],
  [/\banew\b/i, 'again'],
  [/\bcalled so\b/i, 'is named'],
  [/[a-z]Words\b/, 'text, label'],
  // The activity keeps its word: recording is on, the recorder.
  [/\brecordings\b/i, 'sessions'],
  [/\b(earlier|later|newest|no|older) recording\b/i, 'session'],
  [/#recording\b|\brecording\??: (readonly )?(SessionId|number|string)\b|[(<]\{ recording(,| \})/, 'session'],
  [/\b(batch|columns|event|gap|lane|part|place|query|recorder|row|session|ticks)\??\.recording\b/, 'session'],
]
/** Names in stored data and published reports, which can't change. */
const ALLOWED: readonly (readonly [file: RegExp, line: RegExp])[] = [
  [/market\/cell\.ts$/, /\bspelt\b/],
  [/market\/snapshot\.ts$/, /\bspellings\b/],
  [/(corrupt-flushes|journal|0001-first|commit|sealer)\.ts$/, /\btorn\b/],
  [/(verify-\w+|core\/recording\/session|evidence-labels|evidence\/cli)\.ts$/, /\btorn\b/],
  [/docs\/(format|guide\/.*)\.md$/, /\btorn\b/],
  [/(reception-reader|clock-shifts)\.ts$/, /\bgap\.recording = \?|gap\.recording AND/],
  // an anchor of the page
  [/docs\/figures\.md$/, /#recording\b/],
  // the table and its columns, and the bodies of begin and close records
  [/(records|snapshots|session-rows|commit-head|library|close-record)\.ts$/, /\brecording\b/],
  // elements that a JavaScript array lacks
  [/docs\/security\.md$/, /lists of four billion holes/],
]

describe('retired words', () => {
  it.each(RETIRED)('%s: write "%s"', (word) => {
    const found = FILES.filter((file) => !/glossary\.md$|CHANGELOG\.md$/.test(file)).flatMap((file) =>
      readFileSync(join(ROOT, file), 'utf8')
        .split('\n')
        .flatMap((line, i) =>
          word.test(line) && !ALLOWED.some(([where, what]) => where.test(file) && what.test(line))
            ? [`${file}:${i + 1}: ${line.trim()}`]
            : [],
        ),
    )
    expect(found).toEqual([])
  })
})

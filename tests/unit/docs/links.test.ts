/** Links between documents, and references from source to documents, lead to a file and a heading that exist. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'

const filesBelow = (folder: string, ending: RegExp): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name))
    .map((name) => join(folder, name).replaceAll('\\', '/'))

const PAGES = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...filesBelow('docs', /\.md$/)]
const SOURCES = [...filesBelow('src', /\.(?:ts|svelte|css|html)$/), ...filesBelow('tests', /\.ts$/)]

/** The anchor that GitHub gives a heading. */
const anchorOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')

/** Anchors of a page's headings; fenced code has none. */
function anchorsIn(page: string): ReadonlySet<string> {
  const text = readFileSync(page, 'utf8').replace(/^```[\s\S]*?^```/gm, '')
  return new Set([...text.matchAll(/^#{1,6} (.*)$/gm)].map(([, heading = '']) => anchorOf(heading)))
}

/** What is wrong with a link, or nothing. `target`: a path with an optional `#anchor`, relative to `folder`. */
function problemOf(folder: string, target: string): string | undefined {
  const [path = '', anchor] = target.split('#')
  const file = normalize(join(folder, path))
  if (!existsSync(file)) return `there is no ${file}`
  if (anchor === undefined || !file.endsWith('.md')) return undefined
  return anchorsIn(file).has(anchor) ? undefined : `${file} has no heading #${anchor}`
}

function brokenLinks(page: string): readonly string[] {
  const text = readFileSync(page, 'utf8').replace(/^```[\s\S]*?^```/gm, '')
  return [...text.matchAll(/(?:\]\(|srcset="|src=")([^)"\s]+)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^\w+:/.test(target))
    .flatMap((target) => {
      const problem = target.startsWith('#') ? problemOf('.', `${page}${target}`) : problemOf(dirname(page), target)
      return problem === undefined ? [] : [problem]
    })
}

describe('links between documents', () => {
  it.each(PAGES)('of %s lead somewhere', (page) => expect(brokenLinks(page)).toEqual([]))

  it('are noticed when file or heading is missing', () => {
    expect(problemOf('docs', 'service.md#subscriptions')).toBeUndefined()
    expect(problemOf('docs', 'service.md#no-such-heading')).toBe('docs/service.md has no heading #no-such-heading')
    expect(problemOf('docs', 'no-such-page.md')).toBe('there is no docs/no-such-page.md')
  })
})

describe('references from source to documents', () => {
  it('name a page and a heading that exist', () => {
    const references = SOURCES.filter((file) => !file.endsWith('docs/links.test.ts')).flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/\bdocs\/[\w/-]+\.md(?:#[\w-]+)?/g)].map(([target]) => ({
        file,
        target,
      })),
    )
    expect(references.length).toBeGreaterThan(0)
    expect(
      references.flatMap(({ file, target }) => {
        const problem = problemOf('.', target)
        return problem === undefined ? [] : [`${file}: ${problem}`]
      }),
    ).toEqual([])
  })
})

describe('docs/decisions', () => {
  const pages = readdirSync('docs/decisions').filter((name) => /^\d{4}-/.test(name))

  it('are all in the index, each number once', () => {
    const index = readFileSync('docs/decisions/README.md', 'utf8')
    const listed = [...index.matchAll(/\[\d{4}\]\((.*?)\)/g)].map(([, name = '']) => name)
    expect(listed.toSorted()).toEqual(pages.toSorted())
    const numbers = pages.map((name) => name.slice(0, 4))
    expect(new Set(numbers).size).toBe(numbers.length)
  })

  it.each(pages)('%s has a status, context, decision and consequences, and says what else was possible', (name) => {
    const text = readFileSync(join('docs/decisions', name), 'utf8')
    expect(text.startsWith(`# ${name.slice(0, 4)}: `)).toBe(true)
    expect(text).toMatch(/^\*\*Status:\*\* (?:accepted|superseded by )/m)
    const sections = [...text.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)
    expect(sections).toEqual(['Context', 'Decision', 'Alternatives', 'Consequences'])
  })
})

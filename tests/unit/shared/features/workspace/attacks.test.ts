/** Workspace files by somebody who means harm: each is refused with a sentence, or opens as a sound workspace. */
import { describe, expect, it } from 'vitest'
import { panesIn, type DockNode } from '../../../../../src/shared/features/workspace/document.ts'
import { FILE_KIND, fileNameOf, readWorkspaceFile } from '../../../../../src/shared/features/workspace/file.ts'
import { readyWorkspace } from '../../../../../src/shared/features/workspace/ready.ts'

const overview = readyWorkspace('overview')
const fileOf = (change: object): string => JSON.stringify({ kind: FILE_KIND, workspace: { ...overview, ...change } })
/** What comes of a file: it must be sound in every way that the window counts on. */
function opened(text: string) {
  const read = readWorkspaceFile(text)
  expect('polluted' in {}).toBe(false)
  if (!read.ok) {
    expect(read.why).toMatch(/^This .+\.$/)
    return null
  }
  const { dock, floats, panes, name } = read.workspace
  const placed = [dock, ...floats.map((one) => one.dock)].flatMap((one) => panesIn(one))
  expect(new Set(placed).size).toBe(placed.length)
  expect(placed.toSorted()).toEqual(panes.map(({ id }) => id).toSorted())
  expect(name.length).toBeGreaterThan(0)
  expect(JSON.stringify(read.workspace)).not.toMatch(/"size":null|"x":null/)
  return read.workspace
}
const [pane] = overview.panes

describe('a hostile workspace file', () => {
  it.each([
    ['ten million characters in a name', () => fileOf({ name: 'x'.repeat(10_000_000) })],
    [
      'ten million characters in the settings of a pane',
      () => fileOf({ panes: [{ ...pane, settings: { text: 'x'.repeat(10_000_000) } }] }),
    ],
    ['a name of nothing that is seen', () => fileOf({ name: '\u202e\u2066\u200b\ufeff' })],
    ['an id that is a path', () => fileOf({ id: '../../settings' })],
    ['an id of a prototype', () => fileOf({ id: '__proto__' })],
    [
      'panes of unknown kinds only',
      () => fileOf({ panes: overview.panes.map((one) => ({ ...one, kind: 'webview' })) }),
    ],
    ['a dock that is a list', () => fileOf({ dock: [] })],
    ['sixty-one panes', () => fileOf({ panes: Array.from({ length: 61 }, (_, i) => ({ ...pane, id: `p-${i}` })) })],
  ])('with %s is refused', (_what, text) => {
    expect(opened(text())).toBeNull()
  })

  it('marks that turn text, and controls, are taken out of its name', () => {
    expect(opened(fileOf({ name: ' \u202eeliF\u202c \u0000Day\u2066\n ' }))?.name).toBe('eliF Day')
    const named = opened(fileOf({ name: '../\u202egnp.exe"><style>*{display:none}</style>' }))
    expect(named && fileNameOf(named)).toMatch(/^[\p{L}\p{N}._-]+\.workspace\.json$/u)
  })

  it('nested as deep as it goes is refused, or becomes what it holds', () => {
    for (const depth of [20, 30, 63, 64, 65, 500, 20_000]) {
      const inner = JSON.stringify(overview.dock)
      const open = '{"is":"split","axis":"row","size":1,"parts":['
      const deep = `${open.repeat(depth)}${inner}${']}'.repeat(depth)}`
      const text = fileOf({ dock: 'HERE' }).replace('"HERE"', () => deep)
      const found = opened(text)
      if (found) expect(found.dock).toMatchObject({ is: 'split' })
    }
  })

  it('numbers beyond numbers, and sizes of no screen, come to nothing', () => {
    for (const odd of ['1e309', '-1e309', '-0', '1e-320', '9007199254740993', '"NaN"', 'null', '{}']) {
      const text = fileOf({ area: { width: 'HERE', height: 'HERE' } })
        .replaceAll('"HERE"', odd)
        .replaceAll(/"size":[\d.]+/g, `"size":${odd}`)
      opened(text)
      opened(
        fileOf({ floats: [{ x: 'HERE', y: 'HERE', width: 'HERE', height: 'HERE', dock: overview.dock }] }).replaceAll(
          '"HERE"',
          odd,
        ),
      )
    }
  })

  it('the same pane everywhere, and panes of the same id, stand once', () => {
    const group = (size: number): DockNode => ({
      is: 'group',
      panes: overview.panes.map(({ id }) => id),
      front: '',
      size,
    })
    const dock = { is: 'split', axis: 'row', size: 0, parts: Array.from({ length: 60 }, (_, i) => group(i)) }
    const found = opened(
      fileOf({
        dock,
        floats: Array.from({ length: 20 }, () => ({ x: 0, y: 0, width: 9, height: 9, dock })),
        panes: [...overview.panes, ...overview.panes, ...overview.panes],
      }),
    )
    expect(found?.panes).toHaveLength(overview.panes.length)
  })

  it('keys of prototypes, at every place, change nothing', () => {
    const poison = '"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}'
    const found = opened(fileOf({}).replaceAll('{"', `{${poison},"`))
    expect(found === null || found.panes.every((one) => !('polluted' in one) && !('polluted' in one.settings))).toBe(
      true,
    )
    const links = fileOf({ links: 'HERE' }).replace('"HERE"', `{${poison},"blue":{"instrument":"javascript:alert(1)"}}`)
    opened(links)
  })

  it('settings that are style sheets or scripts stay text in the settings of their pane', () => {
    const css = 'red;background:url(https://evil.test/?x)}*{display:none'
    const found = opened(
      fileOf({
        panes: overview.panes.map((one) => ({ ...one, settings: { title: css, color: css, style: css } })),
        name: '</title><script>',
      }),
    )
    expect(found?.name).toBe('</title><script>')
    expect(found?.panes[0].settings).toEqual({ title: css, color: css, style: css })
  })
})

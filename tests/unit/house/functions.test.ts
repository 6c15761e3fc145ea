import { readdirSync, readFileSync } from 'node:fs'
import { posix } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'

const LONGEST = 120

/** Functions that may be longer, for now or because of what they are. Delete a line when its function is shorter. */
const LONGER = [
  'src/main/core/store/kernels/message-kernel.ts messageModule',
  'src/main/core/views/live-feature.ts start',
  // The first schema is one text.
  'src/main/features/team/history/migrations.ts first',
  'src/main/hosts/electron/app.ts runElectronApp',
  'src/main/hosts/electron/desktop/desktop.ts followDesktop',
  'src/main/rpc/carrier.ts serveWindow',
  // One pass over each message's bytes, without calls.
  'src/service/codecs/scan.ts scan',
  'src/simulator/connection.ts createConnection',
  'src/simulator/simulator.ts startSimulator',
]

const nameOf = (node: ts.SignatureDeclaration): string => {
  if (node.name !== undefined) return node.name.getText()
  const { parent } = node
  return ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent) ? parent.name.getText() : 'a function'
}

/** The names of functions of more than `LONGEST` lines in a source text. */
function longFunctions(text: string): string[] {
  const source = ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest, true)
  const lineOf = (at: number): number => source.getLineAndCharacterOfPosition(at).line
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && lineOf(node.end) - lineOf(node.getStart()) >= LONGEST) found.push(nameOf(node))
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

const SCRIPT = /<script[^>]*>([\s\S]*?)<\/script>/g
const scriptsOf = (file: string, text: string): string[] =>
  file.endsWith('.svelte') ? [...text.matchAll(SCRIPT)].map(([, script = '']) => script) : [text]

it(`no function is longer than ${LONGEST} lines, apart from those listed`, { timeout: 60_000 }, () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' })
    .map((file) => posix.join('src', file.replaceAll('\\', '/')))
    .filter((file) => /\.(ts|svelte)$/.test(file))
  const found = files.flatMap((file) => {
    const text = readFileSync(file, 'utf8')
    if (text.split('\n').length <= LONGEST) return []
    return scriptsOf(file, text)
      .flatMap(longFunctions)
      .map((name) => `${file} ${name}`)
  })
  expect(found.toSorted()).toEqual(LONGER.toSorted())
})

// Reads every English text of the window and of shared code from the sources. Those texts are the keys of a translation.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'svelte/compiler'
import ts from 'typescript'
import { ENDPOINTS } from '../../src/service/endpoints.ts'
import { PRICES } from '../../src/shared/core/market/indicators/row.ts'
import { INDICATORS, VOLUME_PROFILE } from '../../src/shared/core/market/indicators/table.ts'
import { GROUPS } from '../../src/renderer/core/window/command-table.ts'
import { root } from './ensure.mjs'

/** Functions whose first argument is a text, or a table of texts. */
const READERS = new Set(['t', 'around', 'labelsOf'])
const PLURALS = new Set(['zero', 'one', 'two', 'few', 'many', 'other'])

/** The scripts of a component, and the expressions of its markup, as TypeScript. */
function scriptsOf(source) {
  const found = []
  const visit = (node) => {
    if (Array.isArray(node)) return node.forEach(visit)
    if (typeof node !== 'object' || node === null) return
    if (node.type === 'CallExpression' && READERS.has(node.callee.name)) found.push(source.slice(node.start, node.end))
    for (const [name, child] of Object.entries(node)) if (name !== 'metadata') visit(child)
  }
  const component = parse(source, { modern: true })
  visit(component.fragment)
  for (const script of [component.module, component.instance])
    if (script) found.push(source.slice(script.content.start, script.content.end))
  return found.join('\n;')
}

/** The texts of one script: of calls, their branches, and the tables they name. */
export function textsIn(script) {
  const file = ts.createSourceFile('script.ts', script, ts.ScriptTarget.Latest, true)
  const constants = new Map()
  const calls = []
  const visit = (node) => {
    if (ts.isVariableDeclaration(node) && node.initializer) constants.set(node.name.getText(file), node.initializer)
    if (ts.isCallExpression(node) && READERS.has(node.expression.getText(file))) calls.push(node.arguments[0])
    ts.forEachChild(node, visit)
  }
  visit(file)
  const messages = (node) => {
    if (node === undefined) return []
    if (ts.isStringLiteralLike(node)) return [node.text]
    if (ts.isConditionalExpression(node)) return [...messages(node.whenTrue), ...messages(node.whenFalse)]
    if (ts.isAsExpression(node) || ts.isSatisfiesExpression(node) || ts.isParenthesizedExpression(node))
      return messages(node.expression)
    if (ts.isArrayLiteralExpression(node)) return node.elements.flatMap(messages)
    if (ts.isIdentifier(node)) {
      const value = constants.get(node.text)
      constants.delete(node.text)
      return messages(value)
    }
    if (ts.isElementAccessExpression(node)) return messages(node.expression)
    // Svelte's $derived
    if (ts.isCallExpression(node)) return messages(node.arguments[0])
    if (!ts.isObjectLiteralExpression(node)) return []
    const entries = node.properties.filter(ts.isPropertyAssignment)
    const names = entries.map(({ name }) => name.text)
    return names.includes('other') && names.every((name) => PLURALS.has(name))
      ? [Object.fromEntries(entries.map(({ name, initializer }) => [name.text, initializer.text]))]
      : entries.flatMap(({ initializer }) => messages(initializer))
  }
  return calls.flatMap(messages)
}

/** Every message, once, in the order of the files. Plural messages are objects of their forms; `other` is the key. */
export function allTexts() {
  const files = globSync(['src/shared/**/*.ts', 'src/renderer/**/*.{ts,svelte}', 'src/main/**/*.ts'], { cwd: root })
  const read = files.toSorted().flatMap((name) => {
    const source = readFileSync(join(root, name), 'utf8')
    if (!/\b(t|around|labelsOf)\(/.test(source)) return []
    return textsIn(name.endsWith('.svelte') ? scriptsOf(source) : source)
  })
  const rows = Object.values(INDICATORS)
  const named = [
    ...[...rows, VOLUME_PROFILE].flatMap(({ title, parameters }) => [
      title,
      ...parameters.flatMap((one) => [one.title, ...(one.choices ?? [])]),
    ]),
    ...rows.flatMap(({ outputs }) => outputs),
    ...ENDPOINTS.map(({ title }) => title),
    ...Object.keys(PRICES),
    ...GROUPS,
    // units of jobs
    'rows',
    'messages',
  ]
  const keyOf = (message) => (typeof message === 'string' ? message : message.other)
  return [...new Map([...read, ...named].map((message) => [keyOf(message), message])).values()]
}

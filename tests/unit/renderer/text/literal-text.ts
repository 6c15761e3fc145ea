/** Texts that stand in a component instead of the catalogue. */
import { parse, type AST } from 'svelte/compiler'

const WORD = /[A-Za-z]{2,}/
/** Attributes and properties that a person reads or hears. */
const READ = new Set(['title', 'label', 'placeholder', 'aria-label', 'alt', 'text'])
/** Names of keys stand as they are on the keyboard. */
const KEYS = new Set(['kbd'])

type Node = { readonly type: string; readonly name?: string; readonly [key: string]: unknown }

/** Texts that an expression may come to: of its branches, and of templates. What it compares with is no text. */
function spoken(expression: Node): readonly string[] {
  const of = (...parts: string[]) => parts.flatMap((part) => spoken(expression[part] as Node)) // parts of its type
  switch (expression.type) {
    case 'Literal':
      return [String(expression['value'])].filter((text) => typeof expression['value'] === 'string' && WORD.test(text))
    case 'TemplateLiteral':
      // a template's quasis are made by the parser
      return (expression['quasis'] as readonly { value: { cooked: string } }[])
        .map(({ value }) => value.cooked)
        .filter((text) => WORD.test(text))
    case 'ConditionalExpression':
      return of('consequent', 'alternate')
    case 'LogicalExpression':
      return of('left', 'right')
    case 'ObjectExpression':
      // what an action or an entry of a list is called
      return (expression['properties'] as readonly Node[]).flatMap((property) => {
        const { name } = (property['key'] ?? {}) as Partial<Node> // a spread has no key
        return READ.has(name ?? '') ? spoken(property['value'] as Node) : []
      })
    default:
      return []
  }
}

/** Every literal text of a component's markup: between tags, in attributes that are read, and in what stands there. */
export function literalTexts(source: string): readonly string[] {
  const found: string[] = []
  const visit = (value: unknown, inKeys: boolean, inComponent = false): void => {
    if (Array.isArray(value)) return value.forEach((one) => visit(one, inKeys))
    if (typeof value !== 'object' || value === null || !('type' in value)) return
    const node = value as Node // every object of the tree with a type is a node
    if (node.type === 'Text') {
      const text = String(node['data']).trim()
      if (!inKeys && WORD.test(text)) found.push(text)
      return
    }
    if (node.type === 'StyleDirective') return
    if (node.type === 'ExpressionTag') {
      if (!inKeys) found.push(...spoken(node['expression'] as Node)) // the tag's only child
      return
    }
    if (node.type === 'Attribute') {
      const given = inComponent && !READ.has(node.name ?? '')
      const before = found.length
      if (READ.has(node.name ?? '') || (inComponent && !/class$/i.test(node.name ?? ''))) visit(node['value'], inKeys)
      // What a component is given may be an id: words begin with a capital, or are several.
      if (given) found.splice(before, Infinity, ...found.slice(before).filter((text) => /^[A-Z][a-z]|\w \w/.test(text)))
      return
    }
    const inside = node.type === 'Component'
    if (inside) for (const one of node['attributes'] as readonly Node[]) visit(one, inKeys, true)
    const keys = inKeys || (node.type === 'RegularElement' && KEYS.has(node.name ?? ''))
    for (const [key, child] of Object.entries(node)) {
      if (key !== 'metadata' && !(inside && key === 'attributes')) visit(child, keys)
    }
  }
  const root: AST.Root = parse(source, { modern: true })
  visit(root.fragment, false)
  return found
}

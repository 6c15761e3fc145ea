/** Texts that stand in a component instead of the catalogue. */
import { parse, type AST } from 'svelte/compiler'

const WORD = /[A-Za-z]{2,}/
/** Attributes that a person reads or hears. */
const READ = new Set(['title', 'label', 'placeholder', 'aria-label', 'alt', 'text'])
/** Names of keys stand as they are on the keyboard. */
const KEYS = new Set(['kbd'])

type Node = { readonly type: string; readonly name?: string; readonly [key: string]: unknown }

/** Every literal text of a component's markup: between tags, and in attributes that are read. */
export function literalTexts(source: string): readonly string[] {
  const found: string[] = []
  const visit = (value: unknown, inKeys: boolean): void => {
    if (Array.isArray(value)) return value.forEach((one) => visit(one, inKeys))
    if (typeof value !== 'object' || value === null || !('type' in value)) return
    const node = value as Node // every object of the tree with a type is a node
    if (node.type === 'Text') {
      const text = String(node['data']).trim()
      if (!inKeys && WORD.test(text)) found.push(text)
      return
    }
    if (node.type === 'Attribute') {
      if (READ.has(node.name ?? '')) visit(node['value'], inKeys)
      return
    }
    const keys = inKeys || (node.type === 'RegularElement' && KEYS.has(node.name ?? ''))
    for (const [key, child] of Object.entries(node)) if (key !== 'metadata') visit(child, keys)
  }
  const root: AST.Root = parse(source, { modern: true })
  visit(root.fragment, false)
  return found
}

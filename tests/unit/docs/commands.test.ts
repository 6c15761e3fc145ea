/** Every `tapedeck …` line in a document, and every example in a command's help, is one that the command line takes. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseOptions, splitCommand } from '../../../src/main/command-line/arguments.ts'
import { COMMANDS, COMMON_OPTIONS } from '../../../src/main/hosts/cli/table.ts'

const markdown = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(folder, name))
const documents = ['README.md', ...markdown('docs'), ...markdown('clients'), ...markdown('packaging')]

/** Without redirections, comments and the mark of a background job. */
const withoutShell = (line: string): string =>
  line
    .replace(/\s+#.*$/, '')
    .replace(/\s+(?:&|[|].*)$/, '')
    .replace(/\s+[<>]{1,2}\s*\S+/g, '')

/** The commands in shell blocks, without pipes, redirections and comments; continued lines joined. */
function commandsIn(text: string): readonly string[] {
  return [...text.matchAll(/```(?:sh|bash|console)\n([\s\S]*?)```/g)]
    .flatMap(([, block]) => block.replace(/\\\n\s*/g, '').split('\n'))
    .flatMap((line) => line.split(/\s(?:\||&&|;)\s/))
    .map((line) => line.trim().replace(/^\$ /, ''))
    .filter((line) => /^tapedeck\s/.test(line))
    .map(withoutShell)
}

/** Words of a line, as a shell without expansions splits them. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)].map(([word]) => word.replace(/["']/g, ''))

async function refusalOf(line: string): Promise<string | null> {
  const { command: name, rest } = splitCommand(wordsOf(line).slice(1), COMMON_OPTIONS, (word) =>
    COMMANDS.some((one) => one.name === word),
  )
  if (name === undefined || name === 'help') return null
  const listed = COMMANDS.find((one) => one.name === name)
  if (listed === undefined) return `no command ${name}`
  const command = await listed.load()
  try {
    const words = rest.filter((word) => word !== '[options]' && word !== '…')
    parseOptions(words, { ...COMMON_OPTIONS, ...command.options }, command)
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

describe('commands', () => {
  it('in documents exist, with their options', { timeout: 60_000 }, async () => {
    const lines = documents.flatMap((file) => commandsIn(readFileSync(file, 'utf8')).map((line) => ({ file, line })))
    expect(lines.length).toBeGreaterThan(60)
    const refused = []
    for (const { file, line } of lines) {
      const why = await refusalOf(line)
      if (why !== null) refused.push(`${file}: ${line}: ${why}`)
    }
    expect(refused).toEqual([])
  })

  it('in help have examples that parse', async () => {
    const without = []
    for (const { name, load } of COMMANDS) {
      const { examples = [] } = await load()
      if (examples.length === 0) without.push(name)
      for (const [, args] of examples)
        expect([name, args, await refusalOf(withoutShell(`tapedeck ${name} ${args}`))]).toEqual([name, args, null])
    }
    expect(without).toEqual([])
  })
})

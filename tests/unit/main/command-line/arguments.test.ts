import { describe, expect, it } from 'vitest'
import { parseOptions, splitCommand } from '../../../../src/main/command-line/arguments.ts'
import type { Option } from '../../../../src/main/command-line/command.ts'

const common: Record<string, Option> = {
  store: { type: 'string', help: '' },
  json: { type: 'boolean', help: '' },
  quiet: { type: 'boolean', help: '' },
}
const options: Record<string, Option> = {
  ...common,
  out: { type: 'string', help: '' },
  feed: { type: 'string', multiple: true, help: '' },
  from: { type: 'string', help: '' },
}
const isCommand = (word: string): boolean => ['export', 'sessions'].includes(word)

describe('the words of a command line', () => {
  it.each([
    [['export', '--json'], 'export', ['--json']],
    [['--json', 'export', '-q'], 'export', ['--json', '-q']],
    [['--store', 'export', 'sessions'], 'sessions', ['--store', 'export']],
    [['--store=x', 'sessions'], 'sessions', ['--store=x']],
    [['--from', '-1h', 'export'], 'export', ['--from', '-1h']],
    [['--feed', 'crypto/XT', 'export'], 'export', ['--feed', 'crypto/XT']],
    [['--demo', 'export'], 'export', ['--demo']],
    [['expot', 'sessions'], 'expot', ['sessions']],
    [['--json'], undefined, ['--json']],
  ])('%j: the command is %s', (args, command, rest) => {
    expect(splitCommand(args, common, isCommand)).toEqual({ command, rest })
  })

  it.each([
    [[''], 'argument 1 is empty'],
    [['a', '--json', 'b', ''], 'argument 3 is empty'],
    [['a', '--out', ''], '--out is empty'],
    [['--feed=', 'a'], '--feed is empty'],
  ])('refuses the empty word of %j', (args, sentence) => {
    expect(() => parseOptions(args, options, { positionals: 'FILE…' })).toThrow(sentence)
  })

  it('takes an empty value that removes a label, or sets an empty setting', () => {
    const name: Option = { type: 'string', help: '' }
    expect(parseOptions(['--name', ''], { ...options, name }, {}).text('name')).toBe('')
    const setting = { positionals: 'KEY VALUE', emptyValue: true } as const
    expect(parseOptions(['recording.storePath', ''], options, setting).texts('')).toEqual(['recording.storePath', ''])
    expect(() => parseOptions(['', 'x'], options, setting)).toThrow('argument 1 is empty')
  })

  it('reads short options, values that begin with a dash, and - for a stream', () => {
    const values = parseOptions(['-f', 'a', '-fb', '-qo', '-', '--from', '-1h', '-'], options, { positionals: 'FILE' })
    expect([values.texts('feed'), values.text('out'), values.text('from'), values.on('quiet')]).toEqual([
      ['a', 'b'],
      '-',
      '-1h',
      true,
    ])
    expect(values.texts('')).toEqual(['-'])
  })

  it.each([
    [['--fromm', 'x'], 'unknown option --fromm; did you mean --from?'],
    [['--wildly-different'], 'unknown option --wildly-different'],
    [['-o', 'x', '-z'], 'unknown option -z'],
    [['--from'], '--from needs a value'],
    [['--out', '--json'], '--out needs a value'],
    [['-o', '-f', 'x'], '-o needs a value'],
    [['-o', '--'], '-o needs a value'],
    [['-o', '-x.csv'], '-o needs a value. If -x.csv is its value, write --out=-x.csv'],
    [['--json=1'], "option '--json' does not take an argument"],
  ])('%j is refused: %s', (args, message) => {
    expect(() => parseOptions(args, options, {})).toThrow(message)
  })
})

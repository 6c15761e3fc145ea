import { describe, expect, it } from 'vitest'
import { UsageError, type Values } from '../../../../src/main/command-line/command.ts'
import { createServiceLog, withServiceLog } from '../../../../src/main/command-line/service-log.ts'
import { unixMs } from '../../../../src/shared/base/units.ts'
import { commandContext } from '../hosts/cli/context.ts'

const valuesOf = (options: Readonly<Record<string, string>>): Values => ({
  text: (name) => options[name],
  texts: () => [],
  on: (name) => options[name] === 'on',
})
const clock = { ...commandContext().clock, wallMs: () => unixMs(1_767_607_200_000) }
const about = { pid: 7, hostname: 'box' }
const entry = {
  id: 1,
  atMs: unixMs(1_767_607_200_500),
  level: 'warn',
  from: 'feeds',
  text: 'Crypto trades: closed.\nforged',
  detail: null,
} as const

function logOf(options: Readonly<Record<string, string>>, interactive = false) {
  const context = commandContext({ interactive, clock })
  return { context, log: createServiceLog(valuesOf(options), context, about) }
}

describe('the log on standard error', () => {
  it.each([
    [undefined, false, 'json'],
    [undefined, true, 'screen'],
    ['auto', false, 'json'],
    ['json', true, 'json'],
    ['text', true, 'screen'],
    ['text', false, 'text'],
  ] as const)('--log-format %s, terminal %s: %s', (format, interactive, expected) => {
    expect(logOf(format === undefined ? {} : { 'log-format': format }, interactive).log.format).toBe(expected)
  })

  it('refuses other formats', () => {
    expect(() => logOf({ 'log-format': 'xml' })).toThrow(UsageError)
  })

  it('is lines of JSON as pino writes them, with the facts of each entry', () => {
    const { context, log } = logOf({})
    log.add('info', 'Recording.', { event: 'started', symbols: ['a', 'b'] })
    log.entry(entry, { event: 'disconnected', feed: 'crypto/XT' })
    log.entry({ ...entry, level: 'error', detail: 'why' })
    const lines = context.errors().split('\n')
    expect(lines.pop()).toBe('')
    expect(lines.map((line): unknown => JSON.parse(line))).toEqual([
      { level: 30, time: 1_767_607_200_000, ...about, event: 'started', symbols: ['a', 'b'], msg: 'Recording.' },
      {
        level: 40,
        time: 1_767_607_200_500,
        ...about,
        from: 'feeds',
        event: 'disconnected',
        feed: 'crypto/XT',
        msg: entry.text,
      },
      { level: 50, time: 1_767_607_200_500, ...about, from: 'feeds', detail: 'why', msg: entry.text },
    ])
  })

  it('is one line of text for each entry otherwise', () => {
    const { context, log } = logOf({ 'log-format': 'text' })
    log.entry(entry, { event: 'disconnected' })
    expect(context.errors()).toBe('2026-01-05T10:00:00.500Z warn Crypto trades: closed. ⏎ forged\n')
  })

  it('shows a person sentences, and no entries', () => {
    const { context, log } = logOf({}, true)
    log.add('info', 'Recording.', { event: 'started' })
    log.entry(entry)
    expect(context.errors()).toBe('Recording.\n')
  })

  it('leaves out what is below --log-level', () => {
    const { context, log } = logOf({ 'log-level': 'error' })
    log.add('info', 'a')
    log.entry(entry)
    log.add('error', 'b')
    expect(context.errors().match(/"msg":"(\w)"/g)).toEqual(['"msg":"b"'])
  })

  it('has only warnings and errors with --quiet, and no progress', () => {
    const { context, log } = logOf({ quiet: 'on' }, true)
    log.add('info', 'a')
    log.add('warn', 'b')
    expect([log.format, context.errors()]).toEqual(['text', '2026-01-05T10:00:00.000Z warn b\n'])
  })

  it('takes what commands write to standard error, line by line', () => {
    const context = commandContext({ clock })
    withServiceLog(valuesOf({}), context).err('tapedeck: One.\nTwo.\n')
    expect([...context.errors().matchAll(/"msg":"(.*?)"/g)].map(([, text]) => text)).toEqual(['One.', 'Two.'])
  })
})

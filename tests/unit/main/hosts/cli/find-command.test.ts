import { describe, expect, it } from 'vitest'
import { findCommandLine } from '../../../../../src/main/hosts/cli/find-command.ts'
import { closest } from '../../../../../src/shared/base/closest.ts'
import { runCommandLine } from '../../../../../src/main/hosts/cli/run.ts'
import { COMMANDS } from '../../../../../src/main/hosts/cli/table.ts'
import { commandContext } from './context.ts'

const found = (...words: string[]) => findCommandLine(words, (word) => word === '/tmp/there.csv' || word === 'record')

describe('words after the app’s name', () => {
  it.each([
    [[]],
    [['--hidden']],
    [['--no-sandbox', '--ozone-platform=x11', '--remote-debugging-port=0']],
    [['day.tapedeck']],
    [['/somewhere/DAY.TAPEDECK']],
    [['tapedeck://open?symbol=BTC-USD']],
    [['/tmp/there.csv']],
    [['--demo', '--safe-mode']],
    [['--store', '/tmp/s.db', '--base-url=http://127.0.0.1:1', '--user', 'record']],
    [['--home', 'sessions']],
    [['-psn_0_12345']],
  ])('open the window: %j', (words) => {
    expect(found(...words)).toBeNull()
  })

  it.each([
    [
      ['sessions', '--json'],
      ['sessions', '--json'],
    ],
    [
      ['record', '--demo'],
      ['record', '--demo'],
    ], // also where a file has a command's name
    [
      ['help', 'export'],
      ['help', 'export'],
    ],
    [['--no-sandbox', '--ozone-platform=headless', 'verify'], ['verify']],
    [['-h'], ['-h']],
    [['--help'], ['--help']],
    [['--version'], ['--version']],
    [['expot'], ['expot']],
    [
      ['--json', 'sessions'],
      ['--json', 'sessions'],
    ],
    [
      ['--log-level=debug', 'record'],
      ['--log-level=debug', 'record'],
    ],
    // dropped, these would record another market or into another store
    [
      ['--demo', 'record'],
      ['--demo', 'record'],
    ],
    [
      ['--store', '/tmp/s.db', 'sessions'],
      ['--store', '/tmp/s.db', 'sessions'],
    ],
    [
      ['--no-sandbox', '--user=me', 'record'],
      ['--user=me', 'record'],
    ],
  ])('are a command line: %j', (words, args) => {
    expect(found(...words)).toEqual(args)
  })

  it('belong to the command line with every command', () => {
    for (const { name } of COMMANDS) expect(found(name)).toEqual([name])
  })
})

describe('a command line that is none', () => {
  it.each([
    [['expot'], 'unknown command "expot"; did you mean export? See tapedeck --help.'],
    [['dance'], 'unknown command "dance". See tapedeck --help.'],
    [['--demmo', 'record'], 'unknown option --demmo; did you mean --demo? See tapedeck record --help.'],
    [['--json', 'expot', 'x'], 'unknown command "expot"; did you mean export? See tapedeck --help.'],
    [['sessions', '--sesion', 'x'], 'unknown option --sesion; did you mean --session? See tapedeck sessions --help.'],
    [['sessions', '-o'], '-o needs a value. See tapedeck sessions --help.'],
    [['verify', '-o', 'x'], 'unknown option -o. See tapedeck verify --help.'],
    [['--nope'], 'unknown option --nope. See tapedeck --help.'],
  ])('%j fails with 2 and says what to type', async (args, sentence) => {
    const context = commandContext()
    expect(await runCommandLine(args, context)).toBe(2)
    expect([context.output(), context.errors()]).toEqual(['', `tapedeck: ${sentence}\n`])
  })
})

describe('the closest word', () => {
  it.each([
    ['expot', ['export', 'import'], 'export'],
    ['BTCUSDT', ['BTC-USD', 'ETH-USD'], 'BTC-USD'],
    ['btc-usd', ['ETH-USD', 'BTC-USD'], 'BTC-USD'],
    ['zzz', ['export', 'import'], undefined],
    ['x', [], undefined],
  ] as const)('of %s among %j is %s', (word, candidates, expected) => {
    expect(closest(word, candidates)).toBe(expected)
  })
})

/** Splits the words of a command line into the command and its options, and names what is wrong with them. */
import { parseArgs } from 'node:util'
import { closest } from '../../shared/base/closest.ts'
import { UsageError, type Command, type Option, type Values } from './command.ts'

type Options = Readonly<Record<string, Option>>

/** The letter of an option, in every command that has the option. */
const SHORT_OPTIONS: Readonly<Record<string, string>> = {
  f: 'feed',
  h: 'help',
  o: 'out',
  q: 'quiet',
  V: 'version',
}

/** The letter of an option with `-`, or undefined. */
export function shortOf(name: string): string | undefined {
  const letter = Object.keys(SHORT_OPTIONS).find((one) => SHORT_OPTIONS[one] === name)
  return letter === undefined ? undefined : `-${letter}`
}

/** The full name of an option as typed (`--out`, `--out=x`, `-o`, `-ox`); undefined for other words. */
function nameOf(word: string): string | undefined {
  if (word.startsWith('--')) return word.length > 2 ? word.slice(2).split('=', 1)[0] : undefined
  return /^-[A-Za-z]/.test(word) ? (SHORT_OPTIONS[word[1]] ?? word[1]) : undefined
}

/** Whether an option's value is the next word. */
function takesNext(word: string, option: Option | undefined): boolean {
  return option?.type === 'string' && (word.startsWith('--') ? !word.includes('=') : word.length === 2)
}

/**
 * Separates the command's name from the options around it: the first word that is neither an option nor the value of
 * one. `common` options are known before the command is. After any other option, only the name of a command is one.
 */
export function splitCommand(
  args: readonly string[],
  common: Options,
  isCommand: (word: string) => boolean,
): { readonly command: string | undefined; readonly rest: readonly string[] } {
  for (let i = 0; i < args.length; i++) {
    const word = args[i]
    if (!word.startsWith('-') || word === '-') {
      return { command: word, rest: [...args.slice(0, i), ...args.slice(i + 1)] }
    }
    const name = nameOf(word)
    const option = name !== undefined && Object.hasOwn(common, name) ? common[name] : undefined
    if (takesNext(word, option)) i++
    else if (option === undefined && !word.includes('=') && !isCommand(args[i + 1] ?? '')) {
      // Perhaps the value of an option of the command.
      if (!(args[i + 1] ?? '-').startsWith('-')) i++
    }
  }
  return { command: undefined, rest: args }
}

/** Parses the words around a command's name. Throws UsageError. */
export function parseOptions(
  args: readonly string[],
  options: Options,
  { positionals: allowed, emptyValue }: Pick<Command, 'positionals' | 'emptyValue'>,
): Values {
  refuseUnknown(args, options)
  try {
    const { values, positionals } = parseArgs({
      args: joinNegative(args, options),
      options: Object.fromEntries(
        Object.entries(options).map(([name, { type, multiple }]) => {
          const short = shortOf(name)?.slice(1)
          return [name, { type, multiple: multiple ?? false, ...(short === undefined ? {} : { short }) }]
        }),
      ),
      allowPositionals: allowed !== undefined,
      strict: true,
    })
    refuseEmpty(values, emptyValue === true ? positionals.slice(0, 1) : positionals)
    return valuesOf({ ...values, '': positionals })
  } catch (error) {
    if (error instanceof UsageError) throw error
    const text = error instanceof Error ? error.message : String(error)
    throw new UsageError(
      text
        .split(/\.\s/)[0]
        .replace(/\.$/, '')
        .replace(/^(.)/, (c) => c.toLowerCase()),
    )
  }
}

/** Options whose empty value means something: it removes the label. */
const MAY_BE_EMPTY: readonly string[] = ['name', 'notes', 'tag']

/** An empty word mostly is a shell variable that isn't set: `move "$DIR"` must not move to the current folder. */
function refuseEmpty(values: Readonly<Record<string, unknown>>, positionals: readonly string[]): void {
  const empty = positionals.indexOf('')
  if (empty >= 0) throw new UsageError(`argument ${empty + 1} is empty`)
  for (const [name, value] of Object.entries(values)) {
    const isEmpty = Array.isArray(value) ? value.includes('') : value === ''
    if (isEmpty && !MAY_BE_EMPTY.includes(name)) throw new UsageError(`--${name} is empty`)
  }
}

function valuesOf(parsed: Readonly<Record<string, unknown>>): Values {
  return {
    text: (name) => (typeof parsed[name] === 'string' ? parsed[name] : undefined),
    texts: (name) => (Array.isArray(parsed[name]) ? parsed[name].filter((one) => typeof one === 'string') : []),
    on: (name) => parsed[name] === true,
  }
}

function refuseUnknown(args: readonly string[], options: Options): void {
  for (let i = 0; i < args.length; i++) {
    const word = args[i]
    if (word === '--') return
    const name = nameOf(word)
    if (name === undefined) continue
    if (!Object.hasOwn(options, name)) {
      const typed = word.startsWith('--') ? `--${name}` : word.slice(0, 2)
      const near = word.startsWith('--') ? closest(name, Object.keys(options)) : undefined
      throw new UsageError(`unknown option ${typed}${near === undefined ? '' : `; did you mean --${near}?`}`)
    }
    if (!takesNext(word, options[name])) continue
    const value = args[++i]
    // What begins with a dash mostly is the next option, and the value was forgotten.
    if (value === undefined || (/^-./.test(value) && !NEGATIVE.test(value))) {
      const joined = value === undefined || value === '--' || isOption(value, options) ? '' : `${value}`
      throw new UsageError(
        `${word} needs a value${joined === '' ? '' : `. If ${joined} is its value, write --${name}=${joined}`}`,
      )
    }
  }
}

const NEGATIVE = /^-\d/

const isOption = (word: string, options: Options): boolean => Object.hasOwn(options, nameOf(word) ?? '')

/** Joins `--from -1h` to `--from=-1h`: values such as -1h look like options to the parser. */
function joinNegative(args: readonly string[], options: Options): string[] {
  const joined: string[] = []
  for (let i = 0; i < args.length; i++) {
    const word = args[i]
    if (word === '--') return [...joined, ...args.slice(i)]
    const name = nameOf(word)
    const next = args[i + 1]
    if (name !== undefined && takesNext(word, options[name]) && NEGATIVE.test(next ?? '')) {
      joined.push(`--${name}=${next}`)
      i++
    } else joined.push(word)
  }
  return joined
}

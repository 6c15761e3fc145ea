/** `tapedeck completion`: a script that lets a shell complete commands, options and their values. */
import { defineCommand, UsageError, type Command, type ListedCommand, type Option } from '../../command-line/command.ts'
import { shortOf } from '../../command-line/arguments.ts'
import { EXIT } from '../../command-line/exit.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const

/** Completes the commands of a list, which holds this one, too. */
export function completionCommand(listed: readonly ListedCommand[], common: Readonly<Record<string, Option>>): Command {
  return defineCommand({
    storeless: true,
    positionals: SHELLS.join('|'),
    examples: [
      ['bash, permanently', 'bash >> ~/.bashrc'],
      ['zsh, in a folder of $fpath', 'zsh > ~/.zsh/completions/_tapedeck'],
      ['fish', 'fish > ~/.config/fish/completions/tapedeck.fish'],
    ],
    options: {},
    async run(values, context) {
      const [wanted, ...more] = values.texts('')
      const shell = SHELLS.find((one) => one === wanted)
      if (shell === undefined || more.length > 0) throw new UsageError(`completion takes one of ${SHELLS.join(', ')}`)
      const all = await Promise.all(
        listed.map(async ({ name, summary, load }) => {
          const { options, positionals = '' } = await load()
          return { name, summary, options: { ...options, ...common }, takesFiles: positionals.startsWith('FILE') }
        }),
      )
      context.out(SCRIPTS[shell](all))
      return EXIT.ok
    },
  })
}

interface Completed {
  readonly name: string
  readonly summary: string
  readonly options: Readonly<Record<string, Option>>
  readonly takesFiles: boolean
}

/** Text in single quotes, as shells read it. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
const names = (all: readonly Completed[]): string => all.map(({ name }) => name).join(' ')
const takesFile = (name: string, { file }: Option): boolean => file === true || name === 'store'

function bash(all: readonly Completed[]): string {
  const cases = all.map(({ name: command, options, takesFiles }) => {
    const values = Object.entries(options).flatMap(([name, option]) => {
      if (option.type === 'boolean') return []
      const short = shortOf(name)
      const forms = `--${name}${short === undefined ? '' : `|${short}`}`
      if (option.words !== undefined) {
        return [`      ${forms}) COMPREPLY=($(compgen -W ${quoted(option.words.join(' '))} -- "$word")); return ;;`]
      }
      return [`      ${forms}) ${takesFile(name, option) ? 'COMPREPLY=($(compgen -f -- "$word")); ' : ''}return ;;`]
    })
    const words = Object.keys(options).map((name) => `--${name}`)
    return [
      `  ${command})`,
      '    case "$before" in',
      ...values,
      '    esac',
      // An empty word completes options only if the command takes no files.
      `    if [[ $word == -*${takesFiles ? '' : ' || -z $word'} ]]; then`,
      `      COMPREPLY=($(compgen -W ${quoted(words.join(' '))} -- "$word"))`,
      ...(takesFiles ? ['    else', '      COMPREPLY=($(compgen -f -- "$word"))'] : []),
      '    fi',
      '    ;;',
    ].join('\n')
  })
  return [
    '# bash completion of tapedeck',
    '_tapedeck() {',
    '  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}',
    '  COMPREPLY=()',
    '  if ((COMP_CWORD == 1)); then',
    `    COMPREPLY=($(compgen -W ${quoted(`${names(all)} help`)} -- "$word"))`,
    '    return',
    '  fi',
    '  if ((COMP_CWORD == 2)) && [[ ${COMP_WORDS[1]} == help ]]; then',
    `    COMPREPLY=($(compgen -W ${quoted(names(all))} -- "$word"))`,
    '    return',
    '  fi',
    '  case ${COMP_WORDS[1]} in',
    ...cases,
    '  esac',
    '}',
    'complete -F _tapedeck tapedeck',
    '',
  ].join('\n')
}

function zsh(all: readonly Completed[]): string {
  const spoken = (text: string): string => text.replaceAll(/[[\]:\\]/g, '\\$&')
  const spec = (name: string, option: Option): string => {
    const times = option.multiple === true ? '*' : ''
    const value =
      option.type === 'boolean'
        ? ''
        : option.words !== undefined
          ? `:${spoken(option.value ?? '')}:(${option.words.join(' ')})`
          : takesFile(name, option)
            ? `:${spoken(option.value ?? '')}:_files`
            : `:${spoken(option.value ?? '')}:`
    const short = shortOf(name)
    const rest = `[${spoken(option.help)}]${value}`
    if (short === undefined) return quoted(`${times}--${name}${rest}`)
    // Either form, once or often.
    const alike = times === '' ? quoted(`(${short} --${name})`) : quoted(times)
    return `${alike}{${short},--${name}}${quoted(rest)}`
  }
  const cases = all.map(({ name: command, options, takesFiles }) => {
    const lines = Object.entries(options).map(([name, option]) => `        ${spec(name, option)} \\`)
    const rest = takesFiles ? "'*:file:_files'" : "'*: :'"
    return [`    ${command})`, '      _arguments -s \\', ...lines, `        ${rest}`, '      ;;'].join('\n')
  })
  return [
    '#compdef tapedeck',
    '_tapedeck() {',
    '  if ((CURRENT == 2)); then',
    '    local -a commands=(',
    ...all.map(({ name, summary }) => `      ${quoted(`${name}:${summary}`)}`),
    "      'help:Show how to use a command.'",
    '    )',
    '    _describe command commands',
    '    return',
    '  fi',
    '  local command=$words[2]',
    '  shift words; ((CURRENT--))',
    '  case $command in',
    ...cases,
    `    help) _arguments ${quoted(`1:command:(${names(all)})`)} ;;`,
    '  esac',
    '}',
    'if [[ $funcstack[1] == _tapedeck ]]; then _tapedeck "$@"; else compdef _tapedeck tapedeck; fi',
    '',
  ].join('\n')
}

function fish(all: readonly Completed[]): string {
  const lines = all.flatMap(({ name: command, summary, options, takesFiles }) => {
    const seen = `__fish_seen_subcommand_from ${command}`
    const own = Object.entries(options).map(([name, option]) => {
      const value =
        option.type === 'boolean'
          ? ''
          : option.words !== undefined
            ? ` -x -a ${quoted(option.words.join(' '))}`
            : takesFile(name, option)
              ? ' -r -F'
              : ' -x'
      const short = shortOf(name)?.replace('-', ' -s ') ?? ''
      return `complete -c tapedeck -n '${seen}' -l ${name}${short}${value} -d ${quoted(option.help)}`
    })
    return [
      `complete -c tapedeck -n __fish_use_subcommand -a ${command} -d ${quoted(summary)}`,
      ...own,
      ...(takesFiles ? [`complete -c tapedeck -n '${seen}' -F`] : []),
    ]
  })
  const help = [
    `complete -c tapedeck -n __fish_use_subcommand -a help -d 'Show how to use a command.'`,
    `complete -c tapedeck -n '__fish_seen_subcommand_from help' -a ${quoted(names(all))}`,
  ]
  return ['# fish completion of tapedeck', 'complete -c tapedeck -f', ...lines, ...help, ''].join('\n')
}

const SCRIPTS = { bash, zsh, fish }

/** `tapedeck completion`: a script that lets a shell complete commands, options and their values. */
import { UsageError, type Command, type Option } from '../../command-line/command.ts'
import { EXIT } from '../../command-line/exit.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const

/** The command over the list of all commands, which holds itself. */
export function completionCommand(
  commands: () => readonly Command[],
  common: Readonly<Record<string, Option>>,
): Command {
  return {
    name: 'completion',
    storeless: true,
    summary: 'Print a script that completes commands and options in bash, zsh or fish.',
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
      const all = commands().map((command) => ({ command, options: { ...command.options, ...common } }))
      context.out(SCRIPTS[shell](all))
      return EXIT.ok
    },
  }
}

interface Completed {
  readonly command: Command
  readonly options: Readonly<Record<string, Option>>
}

/** What stands in single quotes of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
const names = (all: readonly Completed[]): string => all.map(({ command }) => command.name).join(' ')
const takesFile = (name: string, { file }: Option): boolean => file === true || name === 'store'

function bash(all: readonly Completed[]): string {
  const cases = all.map(({ command, options }) => {
    const values = Object.entries(options).flatMap(([name, option]) => {
      if (option.type === 'boolean') return []
      if (option.words !== undefined) {
        return [`      --${name}) COMPREPLY=($(compgen -W ${quoted(option.words.join(' '))} -- "$word")); return ;;`]
      }
      return [`      --${name}) ${takesFile(name, option) ? 'COMPREPLY=($(compgen -f -- "$word")); ' : ''}return ;;`]
    })
    const words = Object.keys(options).map((name) => `--${name}`)
    const files = command.positionals?.startsWith('FILE') === true
    return [
      `  ${command.name})`,
      '    case "$before" in',
      ...values,
      '    esac',
      // an empty word asks for options only where no file may stand
      `    if [[ $word == -*${files ? '' : ' || -z $word'} ]]; then`,
      `      COMPREPLY=($(compgen -W ${quoted(words.join(' '))} -- "$word"))`,
      ...(files ? ['    else', '      COMPREPLY=($(compgen -f -- "$word"))'] : []),
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
    return quoted(`${times}--${name}[${spoken(option.help)}]${value}`)
  }
  const cases = all.map(({ command, options }) => {
    const lines = Object.entries(options).map(([name, option]) => `        ${spec(name, option)} \\`)
    const rest = command.positionals?.startsWith('FILE') === true ? "'*:file:_files'" : "'*: :'"
    return [`    ${command.name})`, '      _arguments -s \\', ...lines, `        ${rest}`, '      ;;'].join('\n')
  })
  return [
    '#compdef tapedeck',
    '_tapedeck() {',
    '  if ((CURRENT == 2)); then',
    '    local -a commands=(',
    ...all.map(({ command }) => `      ${quoted(`${command.name}:${command.summary}`)}`),
    '    )',
    '    _describe command commands',
    '    return',
    '  fi',
    '  local command=$words[2]',
    '  shift words; ((CURRENT--))',
    '  case $command in',
    ...cases,
    '  esac',
    '}',
    'if [[ $funcstack[1] == _tapedeck ]]; then _tapedeck "$@"; else compdef _tapedeck tapedeck; fi',
    '',
  ].join('\n')
}

function fish(all: readonly Completed[]): string {
  const lines = all.flatMap(({ command, options }) => {
    const seen = `__fish_seen_subcommand_from ${command.name}`
    const own = Object.entries(options).map(([name, option]) => {
      const value =
        option.type === 'boolean'
          ? ''
          : option.words !== undefined
            ? ` -x -a ${quoted(option.words.join(' '))}`
            : takesFile(name, option)
              ? ' -r -F'
              : ' -x'
      return `complete -c tapedeck -n '${seen}' -l ${name}${value} -d ${quoted(option.help)}`
    })
    const files = command.positionals?.startsWith('FILE') === true
    return [
      `complete -c tapedeck -n __fish_use_subcommand -a ${command.name} -d ${quoted(command.summary)}`,
      ...own,
      ...(files ? [`complete -c tapedeck -n '${seen}' -F`] : []),
    ]
  })
  return ['# fish completion of tapedeck', 'complete -c tapedeck -f', ...lines, ''].join('\n')
}

const SCRIPTS = { bash, zsh, fish }

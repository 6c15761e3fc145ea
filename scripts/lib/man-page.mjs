// The manual page tapedeck(1), in the roff of man(7), from the tables that the command line runs on.
import { COMMANDS as LISTED, COMMON_OPTIONS } from '../../src/main/hosts/cli/table.ts'
import { shortOf } from '../../src/main/command-line/arguments.ts'

/** Text of a line: a dot or quote at its start would be a request, and a bare hyphen is printed as a dash. */
const roff = (text) =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('’', '\\(cq')
    .replaceAll('…', '...')
    .replace(/^([.'])/, '\\&$1')

function optionLines(options) {
  return Object.entries(options).flatMap(([name, { value, help }]) => {
    const short = shortOf(name)
    const long = `\\fB${roff(`--${name}`)}\\fR${value === undefined ? '' : ` \\fI${roff(value)}\\fR`}`
    return [
      '.TP',
      short === undefined ? long : `\\fB${roff(short)}\\fR, ${long}`,
      `${roff(help)}.`.replace(/\.\.$/, '.'),
    ]
  })
}

function commandLines({ name, summary, positionals, options, examples = [] }) {
  const shown = examples.flatMap(([what, args]) => [
    '.PP',
    `${roff(what)}:`,
    '.RS 4',
    '.EX',
    roff(`tapedeck ${name} ${args}`.trim()),
    '.EE',
    '.RE',
  ])
  return [
    `.SS "tapedeck ${roff(name)}${positionals === undefined ? '' : ` ${roff(positionals)}`} [\\fIoptions\\fR]"`,
    roff(summary),
    ...optionLines(options),
    ...shown,
  ]
}

const ENVIRONMENT = [
  ['TAPEDECK_HOME', 'Folder of the store, the settings and the logs, instead of the usual one.'],
  ['TAPEDECK_PASSWORD', 'The password at the service, instead of the saved one.'],
  ['TAPEDECK_API_KEY', 'The API key of REST requests, instead of the saved one.'],
]
const EXIT_CODES = [
  ['0', 'Success. Also record, serve and archive ended by SIGTERM.'],
  ['1', 'Failure. Standard error says why.'],
  ['2', 'Wrong usage. Nothing was done.'],
  ['130', 'Ended by Ctrl+C.'],
]

/**
 * The page's text.
 * @param {{ version: string, date: string }} about the date as `2026-01-05`
 */
export async function manPage({ version, date }) {
  const commands = await Promise.all(
    LISTED.map(async ({ name, summary, load }) => ({ ...(await load()), name, summary })),
  )
  const terms = (rows) => rows.flatMap(([term, text]) => ['.TP', `\\fB${roff(term)}\\fR`, roff(text)])
  return [
    `.TH TAPEDECK 1 "${date}" "Tapedeck ${roff(version)}" "User Commands"`,
    '.SH NAME',
    'tapedeck \\- record markets, keep every message and play it back exactly',
    '.SH SYNOPSIS',
    '.B tapedeck',
    '\\fICOMMAND\\fR [\\fIoptions\\fR]',
    '.SH DESCRIPTION',
    'Tapedeck records the feeds of a market data service to the message, without a display. It marks what it did not',
    'receive as gaps, proves what it stored with a ledger of hashes, replays sessions exactly, and exports them.',
    '.SH COMMANDS',
    ...commands.flatMap(commandLines),
    '.SH COMMON OPTIONS',
    ...optionLines(COMMON_OPTIONS),
    '.SH "EXIT STATUS"',
    ...terms(EXIT_CODES),
    '.SH ENVIRONMENT',
    ...terms(ENVIRONMENT),
    '.SH FILES',
    '.TP',
    '.I ~/.local/share/tapedeck',
    'The store, the settings and the logs of a user.',
    '.SH "SEE ALSO"',
    '.BR systemd.service (5),',
    '.BR journalctl (1)',
    '',
  ].join('\n')
}

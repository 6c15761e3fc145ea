/**
 * The fenced blocks of every document, and the commands in them. Each block is run by the test that `blocks.test.ts`
 * names for its page, which finds its blocks here, so a new one can't be forgotten.
 */
import { readdirSync, readFileSync } from 'node:fs'

const SKIPPED = /(?:^|\/)(?:node_modules|out|dist[\w-]*|reports|test-results)\/|^\.git\/|^CHANGELOG\.md$/
/** Every document, by its path from the root of the project. The changelog says what was, so it isn't one. */
export const DOCUMENTS: readonly string[] = [
  ...readdirSync('.'),
  ...['docs', 'clients', 'examples', 'packaging', 'resources', 'benchmarks', 'tests', '.github'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name.replaceAll('\\', '/')}`),
  ),
].filter((path) => path.endsWith('.md') && !SKIPPED.test(path))

export interface Block {
  readonly page: string
  /** `sh`, `python`, …; empty for a block without one. */
  readonly language: string
  readonly code: string
  /** The text block right after it: what it prints. */
  readonly output: string | undefined
}

/** A block with any info string between two fences of as many backticks or tildes. */
const FENCED = /^( *)(`{3,}|~{3,}) *([^\s`]*)[^\n`]*\n([\s\S]*?)^ *\2 *$/gm

/** The fenced blocks of a page, without their indentation, in its order. What a block prints is a block of its own, too. */
export const blocksOf = (page: string): readonly Block[] =>
  blocksIn(readFileSync(page, 'utf8')).map((block) => ({ page, ...block }))

/** The fenced blocks of a Markdown text. */
export function blocksIn(text: string): readonly Omit<Block, 'page'>[] {
  const found = [...text.matchAll(FENCED)].map((match) => {
    const [whole, indent = '', , language = '', code = ''] = match
    const lines = code.split('\n').map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line))
    return { language, code: lines.join('\n'), at: match.index, end: match.index + whole.length }
  })
  return found.map(({ language, code, end }, i) => {
    const next = found[i + 1]
    const isOutput = language !== 'text' && next?.language === 'text' && text.slice(end, next.at).trim() === ''
    return { language, code, output: isOutput ? next.code : undefined }
  })
}

/** A page without its fenced blocks. */
export const proseOf = (page: string): string => readFileSync(page, 'utf8').replace(FENCED, '')

/** The inline code of a Markdown text without fenced blocks, each on one line. */
export const spansIn = (prose: string): readonly string[] =>
  [...prose.matchAll(/(?<!`)(`+)(?!`)([\s\S]+?)(?<!`)\1(?!`)/g)].map(([, , span = '']) => span.replace(/\s+/g, ' '))

/** Whether a command line needs a NATS server or PostgreSQL. `team.test.ts` runs these; `examples.test.ts` runs the others. */
export const isOfTeam = (line: string): boolean => /--upstream|--history|--publish|--migrate|--trust|team:/.test(line)

/** The commands of a shell block: continued lines are joined, comments removed. */
export const commandsIn = (code: string): readonly string[] =>
  code
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .map((line) => line.replace(/(?:^|\s+)#.*$/, '').trim())
    .filter((line) => line !== '')

/** The commands of every shell block of a page, in its order. */
export const commandsOf = (page: string): readonly string[] =>
  blocksOf(page)
    .filter(({ language }) => language === 'sh')
    .flatMap(({ code }) => commandsIn(code))

const DOCKER_RUN =
  'docker run -d --name recorder --restart unless-stopped --read-only --tmpfs /tmp -v recorder:/data -p 127.0.0.1:9464:9464 ' +
  'tapedeck record --demo --feed crypto/XT:BTC-USD --metrics 0.0.0.0:9464'

/** Commands of the documents that no test runs, and why. */
export const NOT_RUN: Readonly<Record<string, string>> = {
  'npm start': 'opens the app until it is closed; tests/unit/scripts and the stories of tests/e2e start what it starts',
  'npm test': 'runs this test',
  'sudo apt install ./tapedeck-cli_0.1.0_amd64.deb': 'needs root; scripts/cold-debian.mjs installs the package',
  'sudo tar -xzf tapedeck-cli-0.1.0-linux-x64.tar.gz --strip-components=1 -C /usr/local':
    'needs root; cli-package.test.ts checks the files of the tarball',
  'sudo install -D -m 600 /usr/share/doc/tapedeck-cli/examples/record.env /etc/tapedeck/record.env':
    'needs root and the package; npm run boot does it',
  'sudoedit /etc/tapedeck/record.env': 'needs root and an editor',
  'sudo systemctl enable --now tapedeck-record': 'needs root and systemd; npm run boot does it',
  'systemctl status tapedeck-record': 'needs systemd',
  'journalctl -u tapedeck-record -o cat': 'needs systemd',
  'docker build -f packaging/Dockerfile -t tapedeck .': 'needs Docker; npm run containers builds it',
  [DOCKER_RUN]: 'needs Docker; npm run containers starts the same container',
  'docker stop -t 60 recorder': 'needs Docker',
  'docker run --rm -v recorder:/data tapedeck verify': 'needs Docker; the examples run tapedeck verify',
  'sudo tapedeck sessions --home /var/lib/tapedeck-record': 'needs root; the examples run tapedeck sessions',
}

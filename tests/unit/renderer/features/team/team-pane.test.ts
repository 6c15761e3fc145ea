/** The Team pane and the settings of a team: what they say when it is full, empty, away, or set by options. */
import '../../browser-stubs.ts'
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { tick } from 'svelte'
import { afterEach, beforeEach, expect, it } from 'vitest'
import TeamPane from '../../../../../src/renderer/features/team/TeamPane.svelte'
import TeamSettings from '../../../../../src/renderer/features/team/TeamSettings.svelte'
import type { WindowState } from '../../../../../src/renderer/core/window/window.svelte.ts'
import type { TeamOverview, TeamStatus } from '../../../../../src/shared/features/team/status.ts'
import type { TeamState } from '../../../../../src/shared/features/team/team.ts'
import type { AccountState } from '../../../../../src/shared/core/status/status.ts'
import { sessionId, unixMs } from '../../../../../src/shared/base/units.ts'
import { TestTransport } from '../../../../kit/transport.ts'
import { openWindow, render } from '../../open-window.ts'

const NOW = unixMs(1_700_000_000_000)
const A = sessionId('01kccccccc0000000000000001')
const STATE: NonNullable<TeamState> = {
  name: 'eu',
  isGiven: false,
  servers: 'nats-1:4222',
  history: 'db-1:5432/td',
  link: { is: 'connected', server: 'nats-1:4222' },
  problem: null,
  lagMs: 5,
  sessions: [
    {
      session: A,
      shard: 1,
      recorder: 'paris',
      phase: 'live',
      seq: 10,
      lastMs: NOW,
      goneMs: null,
      why: null,
      signer: null,
      isSigning: true,
    },
  ],
  isTrusting: false,
}
const STATUS: TeamStatus = {
  team: 'eu',
  shards: [
    {
      shard: 1,
      lease: { recorder: 'paris', epoch: 7 },
      symbols: 40,
      sessions: [
        {
          session: A,
          shard: 1,
          recorder: 'paris',
          epoch: 7,
          key: null,
          startedMs: unixMs(NOW - 60_000),
          endedMs: null,
          lastSeq: 1_234,
          committedSeq: 1_200,
          behind: 34,
          ageMs: 400,
          isReported: true,
        },
      ],
      recorders: [{ name: 'paris', epoch: 7, spoolBytes: 2e6, spoolLimitBytes: null, unpublished: 0, trouble: null }],
      archiver: { name: 'db-1', missing: 3, trouble: null },
      quarantined: 0,
    },
    { shard: 2, lease: null, symbols: 40, sessions: [], recorders: [], archiver: null, quarantined: 0 },
  ],
  standby: ['berlin'],
  archivers: ['db-1'],
  problems: ['Shard 2 has no recorder.'],
}
const READ: NonNullable<TeamOverview> = { status: STATUS, readMs: NOW, problem: null, historyProblem: null }

let transport: TestTransport
let app: WindowState
beforeEach(() => {
  transport = new TestTransport()
  transport.answer('team.history', () => [])
})
afterEach(() => {
  cleanup()
  app.close()
})

async function open(component: typeof TeamPane, state: TeamState, overview: TeamOverview) {
  transport.serve('team', () => state).serve('team.status', () => overview)
  app = openWindow(transport)
  const { container } = render(component, { app })
  await tick()
  await tick()
  return container
}

it('shows each shard with its recorder, its figures, and what needs attention', async () => {
  const pane = await open(TeamPane, STATE, READ)
  expect(within(screen.getByRole('list', { name: 'What needs attention' })).getByText('Shard 2 has no recorder.')).toBeTruthy() // oxfmt-ignore
  const [headings, first, second] = screen.getAllByRole('row').map((row) => [...row.children].map((cell) => cell.textContent.trim())) // oxfmt-ignore
  const cell = (row: readonly string[] | undefined, heading: string) => row?.[headings?.indexOf(heading) ?? -1]
  const shown = ['Shard', 'Recorder', 'Lease', 'Symbols', 'Seq', 'Archived', 'To archive', 'Missing frames', 'Spool', 'Quarantined', 'Copy here'] // oxfmt-ignore
  expect(shown.map((heading) => cell(first, heading))).toEqual(['1', 'paris', '7', '40', '1,234', '1,200', '34', '3', '2.0 MB', '0', 'live']) // oxfmt-ignore
  expect(shown.map((heading) => cell(second, heading))).toEqual(['2', 'nobody', '—', '40', '—', '—', '—', '—', '—', '0', '—']) // oxfmt-ignore
  expect(pane.textContent).toMatch(/2 shards, 1 recorder, 1 in standby/)
  expect(pane.textContent).toMatch(/Archived by\s*db-1/)
  expect(pane.textContent).toMatch(/In standby\s*berlin/)
  expect(await screen.findByText('Every session of the history is stored here.')).toBeTruthy()
})

it('shows no figure for what the history has before an archiver has said it', async () => {
  const [{ sessions, ...shard }] = STATUS.shards
  const unknown = { ...sessions[0], committedSeq: null, behind: null }
  await open(TeamPane, STATE, { ...READ, status: { ...STATUS, shards: [{ ...shard, sessions: [unknown] }] } })
  const cells = screen.getAllByTitle('Not known yet: no archiver has said it.').map((cell) => cell.textContent)
  expect(cells).toEqual(['—', '—'])
})

it('offers to join a team where there is none', async () => {
  await open(TeamPane, null, null)
  expect(screen.getByText('This terminal isn’t on a team')).toBeTruthy()
  screen.getByRole('button', { name: 'Join a team' }).click()
  expect([app.dialog, app.settingsTab]).toEqual(['settings', 'team'])
})

const why = { code: 'offline', message: 'The servers of team eu can’t be reached.', hint: 'Check the cable.', closeCode: null } as const // oxfmt-ignore

it('keeps the figures while the servers are away, and says of when they are', async () => {
  const pane = await open(TeamPane, { ...STATE, link: { is: 'lost', sinceMs: NOW, why } }, READ)
  expect(pane.textContent).toMatch(/can’t be reached\.\s+Check the cable\.\s+The figures are from 22:13:20\./)
  expect(pane.textContent).toMatch(/Not connected/)
  expect(screen.getAllByRole('row')).toHaveLength(3)
})

it.each<[string, TeamState, TeamOverview, RegExp]>([
  ['nothing was read yet', STATE, { ...READ, status: null, readMs: null }, /Reading who records what/],
  [
    'servers that were never there',
    { ...STATE, link: { is: 'failed', why } },
    { ...READ, status: null, readMs: null },
    /can’t be reached\.\s*Check the cable\. Tapedeck keeps trying\./,
  ],
  [
    'servers that don’t know the team',
    STATE,
    { ...READ, status: null, readMs: null, problem: { code: 'not-found', message: 'These servers have no data of team eu.', hint: 'Check the name.' } }, // oxfmt-ignore
    /have no data of team eu\.\s*Check the name\./,
  ],
  ['a team that records nothing', STATE, { ...READ, status: { ...STATUS, shards: [], problems: [] } }, /Nothing is recorded yet\. Start a recorder/], // oxfmt-ignore
  [
    'a history that can’t be read',
    STATE,
    { ...READ, historyProblem: { code: 'offline', message: 'PostgreSQL isn’t there.', hint: 'Start it.' } },
    /PostgreSQL isn’t there\.\s+Start it\./,
  ],
  ['no history', { ...STATE, history: null }, READ, /This terminal reads only what the servers still have/],
  ['no archiver and nobody in standby', STATE, { ...READ, status: { ...STATUS, archivers: [], standby: [] } }, /until an archiver runs.*its shard waits for it/], // oxfmt-ignore
])('says %s', async (_, state, overview, text) => {
  expect((await open(TeamPane, state, overview)).textContent.replaceAll(/\s+/g, ' ')).toMatch(text)
})

it('shows in the settings what options of the program say, and no fields', async () => {
  const page = await open(TeamSettings, { ...STATE, isGiven: true }, null)
  expect(page.textContent).toMatch(/Set by the options of this program/)
  expect([...page.querySelectorAll('dd')].map((dd) => dd.textContent)).toEqual([
    'eu',
    'nats-1:4222',
    'db-1:5432/td',
    'none',
  ])
  expect(screen.queryByRole('textbox')).toBeNull()
})

it('shows the fields of what is saved where no options say otherwise', async () => {
  const page = await open(TeamSettings, STATE, null)
  expect(page.textContent).not.toMatch(/Set by the options/)
  expect(screen.getByRole('textbox', { name: 'Team name' })).toBeTruthy()
})

it('keeps what was typed while another tab of the settings is shown, but not after they are closed', async () => {
  await open(TeamSettings, null, null)
  const name = () => screen.getByRole<HTMLInputElement>('textbox', { name: 'Team name' })
  app.dialog = 'settings'
  await fireEvent.input(name(), { target: { value: 'eu' } })
  await fireEvent.input(screen.getByLabelText('Password'), { target: { value: 'secret' } })
  cleanup()
  render(TeamSettings, { app })
  expect([name().value, screen.getByLabelText<HTMLInputElement>('Password').value]).toEqual(['eu', 'secret'])
  app.dialog = null
  cleanup()
  render(TeamSettings, { app })
  expect(name().value).toBe('')
})

it('promises no keychain before one was found', async () => {
  const page = await open(TeamSettings, null, null)
  expect(page.textContent).toContain('in the system keychain if there is one.')
})

it('shows no result of a test from before joining succeeded', async () => {
  transport.answer('team.test', () => [{ step: 'servers', ok: false, text: 'The server refused the credentials.' }])
  transport.answer('team.join', () => ({ source: 'team' }) as AccountState) // the rest isn't read
  await open(TeamSettings, STATE, null)
  await fireEvent.input(screen.getByRole('textbox', { name: 'Team name' }), { target: { value: 'eu' } })
  await fireEvent.input(screen.getByRole('textbox', { name: 'NATS servers' }), { target: { value: 'nats://n' } })
  await fireEvent.click(screen.getByRole('button', { name: 'Test connection' }))
  await waitFor(() => expect(screen.getByRole('list', { name: 'Test steps' })).toBeTruthy())
  await fireEvent.click(screen.getByRole('button', { name: /Join the team|Save and reconnect/ }))
  await waitFor(() => expect(screen.queryByRole('list', { name: 'Test steps' })).toBeNull())
})

it('says who signed a session, and why one isn’t followed', async () => {
  const key = `U${'A'.repeat(51)}BCDE`
  const [session] = STATE.sessions
  const signed = { ...session, signer: { key, name: 'paris', signedSeq: 9 } }
  const trusting = await open(TeamPane, { ...STATE, isTrusting: true, sessions: [signed] }, READ)
  expect(within(trusting).getByTitle(`Signed up to seq 9 with ${key}.`).textContent).toBe('paris')
  expect(trusting.textContent).toContain('Only sessions that your recorders signed are followed.')
  cleanup()
  app.close()
  const any = { ...signed, signer: { ...signed.signer, name: null } }
  const open1 = await open(TeamPane, { ...STATE, sessions: [any] }, READ)
  expect(within(open1).getByTitle(/enter their keys under Settings/).textContent).toBe('UAAAAA…BCDE')
  cleanup()
  app.close()
  // A terminal that has just started, and one whose recorder doesn't sign.
  const restarted = await open(TeamPane, { ...STATE, sessions: [{ ...session, signer: null }] }, READ)
  expect(within(restarted).getByTitle(/about once a minute/).textContent).toBe('not seen yet')
  cleanup()
  app.close()
  const unsigned = await open(TeamPane, { ...STATE, sessions: [{ ...session, signer: null, isSigning: false }] }, READ)
  expect(within(unsigned).getByTitle('Its recorder doesn’t sign.').textContent).toBe('not signed')
  cleanup()
  app.close()
  const why = { code: 'store-damaged', message: 'Session a is signed by a stranger, U.', hint: 'Add it.', closeCode: null } as const // oxfmt-ignore
  const stopped = { ...session, phase: 'stopped', why } as const
  const refused = await open(TeamPane, { ...STATE, isTrusting: true, sessions: [stopped] }, READ)
  expect(within(refused).getByRole('list', { name: 'Sessions that aren’t followed' }).textContent).toContain('Session a is signed by a stranger, U. Add it.') // oxfmt-ignore
})

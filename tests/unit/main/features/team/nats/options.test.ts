import { expect, it } from 'vitest'
import type { Values } from '../../../../../../src/main/command-line/command.ts'
import { readTeamAddress } from '../../../../../../src/main/features/team/nats/options.ts'

const values = (texts: Readonly<Record<string, string>>): Values => ({
  text: (name) => texts[name],
  texts: () => [],
  on: (name) => texts[name] === '',
})

it('reads the team and its servers', () => {
  const address = readTeamAddress(values({ team: 'eu', publish: 'nats://a', 'allow-old-nats': '' }), {}, 'publish')
  expect(address).toMatchObject({ team: 'eu', allowOld: true, target: { servers: ['a:4222'], tls: false } })
})

it.each([
  [{ upstream: 'nats://a' }, 'name the team with --team'],
  [{ team: 'EU', upstream: 'nats://a' }, '--team takes 1 to 31 lower-case letters and digits'],
  [{ team: 'eu' }, 'name the team’s NATS servers with --upstream nats://HOST'],
  [{ team: 'eu', upstream: 'nats://a:b@c' }, 'leave the password out of the NATS URL'],
])('refuses %o', (texts, message) => {
  expect(() => readTeamAddress(values(texts), {})).toThrow(message)
})

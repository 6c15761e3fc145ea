import { expect, it } from 'vitest'
import { makeSeed, readSigningKey } from '../../../../../../src/main/features/team/sign/keys.ts'
import { readTrustText } from '../../../../../../src/main/features/team/sign/trust.ts'
import { parseSettings } from '../../../../../../src/shared/core/settings/settings.ts'
import { teamSettings } from '../../../../../../src/shared/features/team/settings.ts'

it('reads the trusted keys of the settings, and refuses what isn’t a public key', () => {
  const seed = makeSeed()
  const { publicKey } = readSigningKey(seed)
  expect(readTrustText(' \n# none yet\n')).toBeNull()
  expect([...(readTrustText(`${publicKey} paris office\n\n`) ?? [])]).toEqual([[publicKey, 'paris office']])
  expect([...(readTrustText(publicKey) ?? [])]).toEqual([[publicKey, 'a trusted key']])
  expect(() => readTrustText('paris')).toThrow('the list of trusted keys has a line without a public key')
  expect(() => readTrustText(`${seed} paris`)).toThrow('the list of trusted keys has a seed')
})

it('follows nobody if the trusted keys of the settings can’t be read', () => {
  const trustOf = (team: object) => parseSettings([teamSettings], { team }).team.trust
  expect(readTrustText(trustOf({ upstream: 'nats://127.0.0.1' }))).toBeNull() // settings from before there were any
  for (const trust of [5, null, ['U'], 'U'.repeat(70_000)])
    expect(() => readTrustText(trustOf({ trust }))).toThrow('the list of trusted keys has a line without a public key')
})

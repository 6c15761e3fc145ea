/** What a user reads about a certificate that can't be verified. */
import { expect, it } from 'vitest'
import { historyError } from '../../../../../src/main/features/team/history/errors.ts'
import { connectError } from '../../../../../src/main/features/team/nats/errors.ts'

const unverified = Object.assign(
  new Error(
    'unable to verify the first certificate; if the root CA is installed locally, try running Node.js with --use-system-ca',
  ),
  { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' },
)

it.each([
  ['NATS', connectError(unverified, ['nats-1:4222']), '--nats-ca FILE'],
  ['PostgreSQL', historyError(unverified, 'db-1/td'), '?sslrootcert=FILE'],
])('says what is wrong with a certificate of %s, and which option names its authority', (_, error, option) => {
  expect(error.code).toBe('tls')
  expect(error.message).toMatch(/isn’t secure: unable to verify the first certificate\.$/)
  expect(error.hint).toContain(option)
})

import { expect, it } from 'vitest'
import { verdictOfClose } from '../../../src/service/reasons.ts'

it.each([
  ['Authentication failed.', 'The service replied “Authentication failed” (code 4401).'],
  ['Authentication failed', 'The service replied “Authentication failed” (code 4401).'],
  ['No. . ', 'The service replied “No” (code 4401).'],
  ['v1.2 is required', 'The service replied “v1.2 is required” (code 4401).'],
])('the words %j of a service end with one full stop', (words, told) => {
  const verdict = verdictOfClose('crypto/XQ', 4401, words, null)
  expect(verdict).toMatchObject({ then: 'renew', why: { message: `The service refused the access token. ${told}` } })
})

it.each(['', '.', ' . '])('words that say nothing, such as %j, are not quoted', (words) => {
  expect(verdictOfClose('crypto/XQ', 4401, words, null)).toMatchObject({
    why: { message: 'The service refused the access token.' },
  })
})

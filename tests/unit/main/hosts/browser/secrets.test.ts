import { describe, expect, test } from 'vitest'
import { createSecrets, GIVE_BACK_WITHIN_MS, type Admission } from '../../../../../src/main/hosts/browser/secrets.ts'

function secretsAt(tokenLifeMs?: number): { secrets: ReturnType<typeof createSecrets>; sleep(ms: number): void } {
  let nowMs = 0
  let last = 0
  const secrets = createSecrets({
    random: () => `random-${(last += 1)}`,
    nowMs: () => nowMs,
    ...(tokenLifeMs === undefined ? {} : { tokenLifeMs }),
  })
  return { secrets, sleep: (ms) => (nowMs += ms) }
}

function admitted(admission: Admission): string {
  if (admission.is !== 'admitted') throw new Error(admission.is)
  return admission.secret
}

describe('secrets', () => {
  test('a token is exchanged once', () => {
    const { secrets } = secretsAt()
    const token = secrets.mint()
    const first = secrets.exchange(token)
    expect(first.is).toBe('admitted')
    expect(secrets.exchange(token)).toEqual({ is: 'used' })
  })

  test('a token given back is exchanged once more, which revokes the first secret', () => {
    const { secrets } = secretsAt()
    const token = secrets.mint()
    const first = admitted(secrets.exchange(token))
    secrets.giveBack(token)
    const second = admitted(secrets.exchange(token))
    expect(secrets.recall(first)).toEqual({ is: 'unknown' })
    expect(secrets.recall(second)).toEqual({ is: 'admitted', secret: second })
    secrets.giveBack(token)
    expect(secrets.exchange(token)).toEqual({ is: 'used' })
  })

  test('a token given back twice is exchanged twice, not three times', () => {
    const { secrets } = secretsAt()
    const token = secrets.mint()
    for (let i = 0; i < 2; i += 1) {
      expect(secrets.exchange(token).is).toBe('admitted')
      secrets.giveBack(token)
    }
    expect(secrets.exchange(token)).toEqual({ is: 'used' })
  })

  test('a token whose secret has been shown is not exchanged again, given back or not', () => {
    const { secrets } = secretsAt()
    const token = secrets.mint()
    const secret = admitted(secrets.exchange(token))
    secrets.giveBack(token)
    expect(secrets.recall(secret).is).toBe('admitted')
    expect(secrets.exchange(token)).toEqual({ is: 'used' })
    secrets.giveBack(token)
    expect(secrets.exchange(token)).toEqual({ is: 'used' })
    expect(secrets.recall(secret).is).toBe('admitted')
  })

  test('a token given back works for seconds, counted from its first exchange', () => {
    const { secrets, sleep } = secretsAt()
    const [early, late] = [secrets.mint(), secrets.mint()]
    admitted(secrets.exchange(early))
    const secret = admitted(secrets.exchange(late))
    secrets.giveBack(early)
    sleep(GIVE_BACK_WITHIN_MS)
    expect(secrets.exchange(early).is).toBe('admitted')
    sleep(1)
    secrets.giveBack(late)
    expect(secrets.exchange(late)).toEqual({ is: 'used' })
    expect(secrets.recall(secret).is).toBe('admitted')
  })

  test('a token that was never issued cannot be given back', () => {
    const { secrets } = secretsAt()
    secrets.giveBack('another')
    expect(secrets.exchange('another')).toEqual({ is: 'unknown' })
  })

  test('its secret is known again and again, and is not the token', () => {
    const { secrets } = secretsAt()
    const token = secrets.mint()
    const first = secrets.exchange(token)
    if (first.is !== 'admitted') throw new Error(first.is)
    expect(first.secret).not.toBe(token)
    expect(secrets.recall(first.secret)).toEqual({ is: 'admitted', secret: first.secret })
    expect(secrets.recall(first.secret).is).toBe('admitted')
    expect(secrets.recall(token).is).toBe('unknown')
    expect(secrets.exchange(first.secret).is).toBe('unknown')
  })

  test('what was never given is unknown', () => {
    const { secrets } = secretsAt()
    expect(secrets.exchange('').is).toBe('unknown')
    expect(secrets.recall('guess').is).toBe('unknown')
  })

  test('an unused token grows too old', () => {
    const { secrets, sleep } = secretsAt(30_000)
    const [early, late] = [secrets.mint(), secrets.mint()]
    sleep(30_000)
    expect(secrets.exchange(early).is).toBe('admitted')
    sleep(1)
    expect(secrets.exchange(late)).toEqual({ is: 'expired' })
  })

  test('two tokens give two secrets, of which a limited number is stored', () => {
    const { secrets } = secretsAt()
    const oldest = secrets.mint()
    for (let i = 0; i < 300; i += 1) secrets.mint()
    expect(secrets.exchange(oldest).is).toBe('unknown')
    expect(secrets.exchange(secrets.mint())).not.toEqual(secrets.exchange(secrets.mint()))
  })
})

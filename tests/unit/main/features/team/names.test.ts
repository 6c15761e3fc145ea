import { describe, expect, it } from 'vitest'
import {
  decodeWatermark,
  encodeWatermark,
  readChecked,
  type Watermark,
} from '../../../../../src/main/features/team/checksum.ts'
import { readShard, readTeamName, republish, shardSubjects } from '../../../../../src/main/features/team/names.ts'
import { decodeSessionInfo, encodeSessionInfo } from '../../../../../src/main/features/team/session-info.ts'
import type { SessionInfo } from '../../../../../src/main/features/team/session-info.ts'
import { sessionId, unixMs } from '../../../../../src/shared/base/units.ts'

/** A text with one bit changed, in every way. */
const flips = (text: string): string[] =>
  Array.from({ length: text.length * 8 }, (_, i) => {
    const bytes = Buffer.from(text)
    bytes[i >> 3] ^= 1 << (i & 7)
    return bytes.toString()
  })

describe('names of a team', () => {
  it.each(['eu', 'a', 'desk7', 'a'.repeat(31)])('accepts %s', (name) => expect(readTeamName(name)).toBe(name))
  it.each(['', 'EU', '7up', 'a.b', 'a-b', 'a_b', 'a*', '>', 'a b', 'a'.repeat(32), 'ü'])('refuses "%s"', (name) =>
    expect(readTeamName(name)).toBeNull(),
  )

  it('reads shards', () => {
    expect(readShard('2/5')).toEqual({ shard: 2, shards: 5 })
    for (const text of ['0/5', '6/5', '2', '2/', '/5', '1/1000', '01/5', '2/5/1', '-1/5', ' 2/5'])
      expect(readShard(text)).toBeNull()
  })

  it('republishes a shard’s subjects under the same session', () => {
    const [team] = ['eu'].map((name) => readTeamName(name)).filter((name) => name !== null)
    expect(shardSubjects(team, 2)).toBe('td.eu.f.2.*')
    expect(republish(team, 2)).toEqual({ src: 'td.eu.f.2.*', dest: 'td.eu.live.2.{{wildcard(1)}}' })
  })
})

describe('what a team knows of a session', () => {
  const info: SessionInfo = {
    session: sessionId('01hxyzabcdefghjk'),
    shard: 2,
    shards: 3,
    recorder: 'desk-1',
    source: { kind: 'service', origin: 'https://data.example.com', user: 'anna' },
    startedMs: unixMs(1_700_000_000_000),
    epoch: 7,
    end: {
      endedMs: unixMs(1_700_000_100_000),
      clean: true,
      lastSeq: 12,
      messages: 10,
      entries: 2,
      heads: { '0': 'ab'.repeat(32) },
    },
  }

  it('survives its encoding', () => {
    expect(decodeSessionInfo(encodeSessionInfo(info))).toEqual(info)
    expect(decodeSessionInfo(encodeSessionInfo({ ...info, end: null }))).toEqual({ ...info, end: null })
  })

  it('refuses what another version or a stranger wrote', () => {
    const text = readChecked(encodeSessionInfo(info)) ?? ''
    const changed: readonly [from: string, to: string][] = [
      ['"version":1', '"version":2'],
      ['"shard":2', '"shard":4'],
      ['"startedMs":1700000000000', '"startedMs":1e300'],
      // PostgreSQL takes no such day and no such text, and the archiver would ask it for ever.
      ['"startedMs":1700000000000', '"startedMs":8e15'],
      ['"startedMs":1700000000000', '"startedMs":-1e14'],
      ['desk-1', '\\u0000'],
      ['anna', '\\ud800'],
      ['"lastSeq":12', '"lastSeq":-1'],
      ['"clean":true', '"clean":"yes"'],
      ['abab', 'zzzz'],
      ['01hxyz', '../../'],
      ['"kind":"service"', '"kind":"other"'],
    ]
    for (const [from, to] of changed) {
      expect(text).toContain(from)
      expect(decodeSessionInfo(text.replace(from, to)), `${from} as ${to}`).toBeNull()
    }
    expect(decodeSessionInfo('{')).toBeNull()
  })

  it('reads a description without a checksum, and none in which a bit changed', () => {
    const text = encodeSessionInfo(info)
    expect(decodeSessionInfo(readChecked(text) ?? '')).toEqual(info)
    for (const damaged of flips(text)) expect(decodeSessionInfo(damaged), damaged).toBeNull()
  })

  it('reads a watermark of its session, and none in which a bit changed', () => {
    const at = (lastSeq: number, isComplete = false): Watermark => ({ lastSeq, isComplete })
    const text = encodeWatermark(info.session, at(1_234))
    expect(decodeWatermark(info.session, text)).toEqual(at(1_234))
    expect(decodeWatermark(info.session, '1234')).toEqual(at(1_234))
    expect(decodeWatermark(info.session, encodeWatermark(info.session, at(0, true)))).toEqual(at(0, true))
    expect(decodeWatermark('01hxyzabcdefghjm', text)).toBeNull()
    for (const none of [null, '', '-1', '1e3', '12345678901234567', '12 ', ' complete', '12 completed'])
      expect(decodeWatermark(info.session, none)).toBeNull()
    for (let seq = 0; seq < 500; seq++)
      for (const damaged of flips(encodeWatermark(info.session, at(seq, seq % 2 === 0))))
        expect(decodeWatermark(info.session, damaged), `${damaged} of ${seq}`).toBeNull()
  })
})

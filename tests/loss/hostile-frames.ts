/** Frames that nobody should send: UTF-8 of the Autobahn suite, hand-made traps, and seeded fuzz. */
import { readFileSync } from 'node:fs'

export interface HostileFrame {
  readonly data: Buffer
  readonly binary: boolean
}

const trade = '{"ev":"XT","pair":"BTC-USD","p":27000.5,"t":1767600000000,"s":0.25}'

const TRAPS: readonly string[] = [
  '',
  ' ',
  '\u0000',
  '{',
  '}',
  '[]',
  '[[[]]]',
  'null',
  'true',
  '0',
  '-0',
  '"text"',
  '{"a":1}{"b":2}',
  '{"__proto__":{"polluted":1},"ev":"XT","pair":"BTC-USD","p":1,"t":1767600000000,"s":1}',
  '{"constructor":{"prototype":{"polluted":1}}}',
  '{"ev":"XT","pair":"__proto__","p":1,"t":1767600000000,"s":1}',
  '{"ev":"XT","pair":"constructor","p":1,"t":1767600000000,"s":1}',
  '{"ev":"XT","pair":"hasOwnProperty","p":1,"t":1767600000000,"s":1}',
  '{"ev":"XT","pair":"BTC-USD","p":1e999,"t":1767600000000,"s":1}',
  '{"ev":"XT","pair":"BTC-USD","p":-1e-999,"t":1767600000000,"s":1}',
  `{"ev":"XT","pair":"BTC-USD","p":${'9'.repeat(5_000)},"t":1767600000000,"s":1}`,
  `{"ev":"XT","pair":"BTC-USD","p":0.${'1'.repeat(5_000)},"t":1767600000000,"s":1}`,
  '{"ev":"XT","pair":"BTC-USD","p":1,"t":9007199254740993,"s":1}',
  '{"ev":"XT","pair":"BTC-USD","p":1,"t":-62135596800000,"s":1}',
  '{"ev":"XT","pair":"BTC-USD","p":"NaN","t":"Infinity","s":"1e9999"}',
  '{"ev":"XT","pair":"=cmd|\' /C calc\'!A0","p":1,"t":1767600000000,"s":1}',
  '{"ev":"XT","pair":"../../etc/passwd","p":1,"t":1767600000000,"s":1}',
  '{"ev":"XT","pair":"\\ud800","p":1,"t":1767600000000,"s":1}',
  '{"ev":"XT","pair":"\\u0000","p":1,"t":1767600000000,"s":1}',
  `{"ev":"XT","pair":"${'X'.repeat(100_000)}","p":1,"t":1767600000000,"s":1}`,
  `{"ev":"XT","pair":"${'\ud83d\ude00'.repeat(40)}","p":1,"t":1767600000000,"s":1}`,
  `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
  `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
  `{${Array.from({ length: 20_000 }, (_, i) => `"k${i}":${i}`).join(',')}}`,
  `[${Array.from({ length: 2_000 }, () => trade).join(',')}]`,
  '{"type":"subscribed"}',
  '{"type":"subscribed","tickers":"BTC-USD"}',
  '{"type":"subscribed","tickers":[1,null,{}]}',
  '{"type":"unsubscribed","tickers":["BTC-USD","BTC-USD"]}',
  '{"type":"__proto__","tickers":[]}',
  '{"type":{"toString":1}}',
  '{"code":"x","message":"<script>alert(1)</script>"}',
  '{"code":"x","message":"y","more":1}',
  '\ufeff' + trade,
  trade.replace('"XT"', '"XQ"'),
  trade.replace('BTC-USD', 'NOBODY-ASKED'),
  trade + '\n',
  trade + '\u0000',
]

/** Numbers from 0 to 1, the same under the same seed. */
function random(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0
    return ((state ^ (state >>> 13)) >>> 0) / 0x1_0000_0000
  }
}

/** Good messages damaged: bytes changed, cut, doubled, inserted; or nothing but noise. */
function fuzzed(next: () => number): HostileFrame {
  const pick = (n: number): number => Math.floor(next() * n)
  const good = next() < 0.5 ? trade : TRAPS[pick(TRAPS.length)].slice(0, 400)
  let bytes = [...Buffer.from(good)]
  switch (pick(6)) {
    case 0:
      bytes = Array.from({ length: pick(300) }, () => pick(256))
      break
    case 1:
      bytes = bytes.slice(0, pick(bytes.length + 1))
      break
    case 2:
      for (let i = pick(8); i >= 0 && bytes.length > 0; i--) bytes[pick(bytes.length)] = pick(256)
      break
    case 3:
      bytes.splice(
        pick(bytes.length + 1),
        0,
        ...Buffer.from(['"', '\\', '{', '[', 'e', '-', ','][pick(7)].repeat(1 + pick(9))),
      )
      break
    case 4:
      bytes = [...bytes, ...bytes.slice(pick(bytes.length + 1))]
      break
    default:
      bytes = [...Buffer.from(trade.replace('27000.5', String((next() - 0.5) * 10 ** (pick(40) - 20))))]
  }
  return { data: Buffer.from(bytes), binary: next() < 0.05 }
}

/** The corpus, always the same; `count` fuzzed frames at its end. */
export function hostileFrames(count: number): HostileFrame[] {
  const cases = JSON.parse(
    readFileSync(new URL('../fixtures/hostile/utf8_sequences.json', import.meta.url), 'utf8'),
  ) as readonly { readonly hex: string }[] // as the suite's extract has it
  const utf8 = cases.flatMap(({ hex }) => {
    const data = Buffer.from(hex, 'hex')
    const inside = Buffer.concat([
      Buffer.from('{"ev":"XT","pair":"'),
      data,
      Buffer.from('","p":1,"t":1767600000000,"s":1}'),
    ])
    return [
      { data, binary: false },
      { data: inside, binary: false },
      { data, binary: true },
    ]
  })
  const traps = TRAPS.flatMap((text) => [
    { data: Buffer.from(text), binary: false },
    { data: Buffer.from(text), binary: true },
  ])
  const next = random(20_260_105)
  return [...utf8, ...traps, ...Array.from({ length: count }, () => fuzzed(next))]
}

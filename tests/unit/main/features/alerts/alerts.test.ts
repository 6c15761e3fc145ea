import { readFileSync, writeFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { createAlerts, type AlertsOptions } from '../../../../../src/main/features/alerts/alerts.ts'
import { alertFiles } from '../../../../../src/main/features/alerts/files.ts'
import type { Alerts, AlertsFile, AlertFiles } from '../../../../../src/main/features/alerts/port.ts'
import type { Notice } from '../../../../../src/main/terminal/host.ts'
import { PLAIN_NUMBERS } from '../../../../../src/shared/features/alerts/labels.ts'
import type { AlertDraft } from '../../../../../src/shared/features/alerts/types.ts'
import type { Bar } from '../../../../../src/shared/core/market/market.ts'
import { instrumentId, unixMs, type InstrumentId } from '../../../../../src/shared/base/units.ts'
import { KIND, scratch } from '../../../../../src/service/codec.ts'
import { smaBelowPrice } from '../../../shared/features/alerts/harness.ts'
import { ALERT_CALENDAR } from '../../../../../src/main/features/alerts/alert-calendar.ts'
import { makeFolder } from '../../../../kit/folder.ts'
import { makeBar } from '../../../../kit/market.ts'

const BTC = instrumentId('crypto', 'BTC-USD')
const T0 = 1_700_000_040_000
const DRAFT: AlertDraft = {
  instrument: BTC,
  condition: { is: 'price', of: 'last', level: 100, direction: 'up' },
  repeat: null,
  expiresMs: null,
  note: 'the hundred',
  sound: 'chime',
  system: true,
  log: true,
  flash: true,
  enabled: true,
}

const cleanups: (() => void)[] = []
afterEach(() => {
  for (const undo of cleanups.splice(0)) undo()
})

function folder(): string {
  const made = makeFolder('alerts')
  return made
}

interface ReplayState {
  readonly alerts: Alerts
  readonly notices: Notice[]
  readonly logged: string[]
  readonly wanted: InstrumentId[][]
  now: number
  market: 'demo' | 'service'
  trade(price: number): void
  sweep(ms: number): void
}

interface RigOptions {
  market?: 'demo' | 'service'
  now?: number
  files?: AlertFiles
  bars?: AlertsOptions['bars']
  subscribe?: AlertsOptions['subscribe']
}

function rig(dir: string, options: RigOptions = {}): ReplayState {
  const notices: Notice[] = []
  const logged: string[] = []
  const wanted: InstrumentId[][] = []
  let ids = 0
  let now = options.now ?? T0
  const r: ReplayState = {
    alerts: createAlerts({
      files: options.files ?? alertFiles(dir),
      wallMs: () => now,
      newId: () => `id${++ids}-${r.now}`,
      market: () => r.market,
      calendar: ALERT_CALENDAR,
      subscribe: (list) => {
        wanted.push([...list])
        return options.subscribe?.(list) ?? (() => undefined)
      },
      bars: options.bars ?? (() => Promise.resolve([])),
      drawings: () => [],
      reports: () => Promise.resolve(null),
      symbolOf: () => 'BTC-USD',
      numbers: () => PLAIN_NUMBERS,
      notify: (notice) => notices.push(notice),
      log: (_, text) => logged.push(text),
      notice: (text) => logged.push(text),
    }),
    notices,
    logged,
    wanted,
    get now() {
      return now
    },
    set now(ms) {
      now = ms
    },
    market: options.market ?? 'demo',
    trade(price) {
      r.now += 1
      const at = unixMs(r.now)
      const record = { ...scratch(), kind: KIND.trade, symbol: 'BTC-USD', price, size: 1, eventMs: at }
      r.alerts.sink.apply('crypto/XT', 1, at, record)
    },
    sweep(ms) {
      r.now += ms
      r.alerts.sweep(r.now)
    },
  }
  return r
}

/** A rig whose only alert has fired. */
async function firedOnce(): Promise<{ readonly r: ReplayState; readonly id: string }> {
  const r = rig(folder())
  r.alerts.begin()
  const { id } = await r.alerts.save(null, DRAFT)
  r.trade(99)
  r.trade(101)
  return { r, id }
}

test('an alert that fires notifies, is logged and saved in the history, and is done', async () => {
  const r = rig(folder())
  r.alerts.begin()
  const { id } = await r.alerts.save(null, DRAFT)
  expect(r.wanted.at(-1)).toEqual([BTC])
  r.trade(99)
  r.trade(101)
  expect(r.notices).toEqual([
    { title: 'BTC-USD: Last rises to 100: 101', body: 'the hundred', alert: id, again: false },
  ])
  expect(r.logged).toEqual(['BTC-USD: Last rises to 100: 101'])
  expect(r.alerts.list()).toMatchObject([{ id, done: true, fired: 1, firedMs: r.now, state: { is: 'fired' } }])
  expect(r.alerts.history({ alert: id, before: null, limit: 10 }).events).toMatchObject([
    { is: 'fired', alert: id, value: 101, before: 99, atMs: r.now },
  ])
  r.sweep(1_000)
  expect(r.wanted.at(-1)).toEqual([])
  await r.alerts.close()
})

test('everything survives a restart, and the time between is a blind stretch', async () => {
  const dir = folder()
  const first = rig(dir)
  first.alerts.begin()
  await first.alerts.save(null, { ...DRAFT, repeat: { restMs: 1_000, backPercent: 0 } })
  const off = await first.alerts.save(null, { ...DRAFT, enabled: false })
  first.trade(99)
  first.trade(101)
  first.trade(98)
  await first.alerts.close()

  const second = rig(dir, { now: T0 + 3_600_000 })
  second.alerts.begin()
  const [kept] = second.alerts.list()
  expect(kept).toMatchObject({ fired: 1, firedMs: T0 + 2, state: { is: 'blind', sinceMs: T0 + 3, cause: 'quit' } })
  expect(second.alerts.list()[1]).toMatchObject({ id: off.id, state: { is: 'off' } })
  second.alerts.sink.feedState('crypto/XT', { is: 'open', sinceMs: unixMs(second.now) }, unixMs(second.now))
  // On the other side of the level by now: no cross is made of the price of an hour ago.
  second.trade(105)
  expect(second.notices).toEqual([])
  const { events } = second.alerts.history({ alert: null, before: null, limit: 10 })
  expect(events.map(({ is }) => is)).toEqual(['blind', 'fired'])
  expect(events[0]).toMatchObject({ cause: 'quit', atMs: T0 + 3, toMs: T0 + 3_600_000, instruments: [BTC] })
})

test('a drop is in the history once, from its first to its last moment', async () => {
  const r = rig(folder())
  r.alerts.begin()
  await r.alerts.save(null, DRAFT)
  const at = () => unixMs(r.now)
  const why = { code: 'offline' as const, message: '', hint: '', closeCode: null }
  r.alerts.sink.feedState('crypto/XT', { is: 'open', sinceMs: at() }, at())
  r.trade(99)
  r.now += 1_000
  r.alerts.sink.gapOpened('crypto/XT', 'drop', [], unixMs(T0 + 1))
  r.alerts.sink.feedState('crypto/XT', { is: 'waiting', untilMs: at(), attempt: 1, why }, at())
  expect(r.alerts.list()[0]?.state).toEqual({ is: 'blind', sinceMs: T0 + 1, cause: 'drop' })
  expect(r.alerts.history({ alert: null, before: null, limit: 10 }).events).toMatchObject([{ toMs: null, alerts: 1 }])
  r.now += 5_000
  r.alerts.sink.feedState('crypto/XT', { is: 'open', sinceMs: at() }, at())
  r.alerts.sink.gapClosed('crypto/XT', unixMs(T0 + 1), at())
  r.trade(101)
  const { events } = r.alerts.history({ alert: null, before: null, limit: 10 })
  expect(events.map(({ is }) => is)).toEqual(['unseen', 'blind'])
  expect(events[1]).toMatchObject({ atMs: T0 + 1, toMs: T0 + 6_001, cause: 'drop' })
  expect(r.notices).toEqual([])
})

describe('files', () => {
  test('garbage is put aside, and nothing else is lost', async () => {
    const dir = folder()
    writeFileSync(join(dir, 'alerts.json'), '{"version":1,"entr')
    writeFileSync(join(dir, 'alerts-history.json'), 'null')
    const r = rig(dir)
    r.alerts.begin()
    expect(r.alerts.list()).toEqual([])
    expect(r.logged).toHaveLength(2)
    expect(readFileSync(join(dir, 'alerts.json.bad'), 'utf8')).toBe('{"version":1,"entr')
    await r.alerts.save(null, DRAFT)
    expect(rig(dir).alerts.list()).toHaveLength(1)
  })

  test('one bad entry takes no other along', async () => {
    const dir = folder()
    const r = rig(dir)
    r.alerts.begin()
    await r.alerts.save(null, DRAFT)
    await r.alerts.save(null, DRAFT)
    const file = join(dir, 'alerts.json')
    const text = JSON.parse(readFileSync(file, 'utf8')) as { entries: { condition: { level: number } }[] }
    text.entries[0].condition.level = -1
    writeFileSync(file, JSON.stringify(text))
    const again = rig(dir)
    expect(again.alerts.list()).toHaveLength(1)
    expect(existsSync(`${file}.bad`)).toBe(true)
  })

  test('those of a newer version are left as they are', async () => {
    const dir = folder()
    const text = '{"version":99,"entries":[{}]}'
    writeFileSync(join(dir, 'alerts.json'), text)
    const r = rig(dir)
    r.alerts.begin()
    await r.alerts.save(null, DRAFT)
    expect(readFileSync(join(dir, 'alerts.json'), 'utf8')).toBe(text)
  })
})

describe('a disk that is full for a moment', () => {
  /** What is written to `full` fails. */
  const fillable = (dir: string): { readonly files: AlertFiles; readonly full: Set<AlertsFile> } => {
    const files = alertFiles(dir)
    const full = new Set<AlertsFile>()
    return {
      full,
      files: {
        ...files,
        save: (name, text) => (full.has(name) ? Promise.reject(new Error('ENOSPC')) : files.save(name, text)),
      },
    }
  }
  const settled = () => new Promise((resolve) => setImmediate(resolve))

  test('loses neither what fired nor its history: both are saved as soon as possible', async () => {
    const dir = folder()
    const { files, full } = fillable(dir)
    const r = rig(dir, { files })
    r.alerts.begin()
    await r.alerts.save(null, DRAFT)
    full.add('alerts').add('history')
    r.trade(99)
    r.trade(101)
    r.sweep(1_000)
    await settled()
    r.sweep(1_000)
    await settled()
    full.clear()
    r.sweep(5_000)
    await vi.waitFor(() => {
      expect(rig(dir).alerts.list()).toMatchObject([{ fired: 1, done: true }])
      expect(rig(dir).alerts.history({ alert: null, before: null, limit: 9 }).events).toMatchObject([{ is: 'fired' }])
    })
    await r.alerts.close()
  })

  test('is reported once per file, whatever else can be written', async () => {
    const dir = folder()
    const { files, full } = fillable(dir)
    const r = rig(dir, { files })
    r.alerts.begin()
    full.add('alerts')
    await expect(r.alerts.save(null, DRAFT)).rejects.toMatchObject({ code: 'disk-error' })
    for (let i = 0; i < 20; i++) {
      r.sweep(5_000)
      await settled()
    }
    expect(r.logged).toEqual(['Alerts could not be saved; alerts are watched all the same.'])
    full.clear()
    await r.alerts.close()
    expect(rig(dir).alerts.list()).toHaveLength(1)
    expect(r.logged.at(-1)).toBe('Alerts could be saved again.')
  })
})

describe('a price that must go back', () => {
  const REPEATED: AlertDraft = { ...DRAFT, repeat: { restMs: 1_000, backPercent: 5 } }
  const seen = (r: ReplayState) => {
    r.alerts.sink.feedState('crypto/XT', { is: 'open', sinceMs: unixMs(r.now) }, unixMs(r.now))
  }
  const firedOnce = async (dir: string): Promise<void> => {
    const r = rig(dir)
    r.alerts.begin()
    await r.alerts.save(null, REPEATED)
    r.trade(99)
    r.trade(101)
    expect(r.alerts.list()).toMatchObject([{ fired: 1, away: 'up', state: { is: 'resting' } }])
    await r.alerts.close()
  }

  /** Fired once, ended, and begun again an hour later. */
  const anHourLater = async (): Promise<ReplayState> => {
    const dir = folder()
    await firedOnce(dir)
    const r = rig(dir)
    r.now = T0 + 3_600_000
    r.alerts.begin()
    seen(r)
    return r
  }

  test('must so after a restart, too', async () => {
    const r = await anHourLater()
    for (const price of [98, 101, 99, 102]) r.trade(price)
    expect(r.alerts.list()).toMatchObject([{ fired: 1, state: { is: 'resting', untilMs: null } }])
    r.trade(94)
    expect(r.alerts.list()).toMatchObject([{ away: null, state: { is: 'armed' } }])
    r.trade(101)
    expect(r.alerts.list()).toMatchObject([{ fired: 2 }])
    await r.alerts.close()
  })

  test('may have gone while Tapedeck did not run', async () => {
    const r = await anHourLater()
    r.trade(90)
    expect(r.alerts.list()).toMatchObject([{ fired: 1, away: null, state: { is: 'armed' } }])
    r.trade(101)
    expect(r.alerts.list()).toMatchObject([{ fired: 2 }])
    await r.alerts.close()
  })

  test('doesn’t apply to alerts saved by an earlier version, nor to one whose condition was edited', async () => {
    const dir = folder()
    await firedOnce(dir)
    const file = join(dir, 'alerts.json')
    // The file as it was before: without what it knows of it.
    const kept = JSON.parse(readFileSync(file, 'utf8')) as { version: number; entries: { away?: string }[] }
    delete kept.entries[0].away
    writeFileSync(file, JSON.stringify({ ...kept, version: 1 }))
    const r = rig(dir)
    r.now = T0 + 3_600_000
    r.alerts.begin()
    seen(r)
    r.trade(99)
    r.trade(101)
    expect(r.alerts.list()).toMatchObject([{ fired: 2, away: 'up' }])
    const [{ id }] = r.alerts.list()
    expect(await r.alerts.save(id, REPEATED)).toMatchObject({ away: null })
    r.trade(99)
    r.trade(101)
    expect(r.alerts.list()).toMatchObject([{ fired: 3 }])
    await r.alerts.close()
  })
})

describe('a clock that was set back', () => {
  test('while Tapedeck wasn’t running: an alert saved at a later time neither rests nor is blind since then', async () => {
    const dir = folder()
    const first = rig(dir, { now: T0 + 7_200_000 })
    first.alerts.begin()
    await first.alerts.save(null, { ...DRAFT, repeat: { restMs: 60_000, backPercent: 0 } })
    first.trade(99)
    first.trade(101)
    await first.alerts.close()
    const r = rig(dir)
    r.alerts.begin()
    expect(r.alerts.list()).toMatchObject([{ state: { is: 'blind', sinceMs: T0, cause: 'quit' } }])
    r.alerts.sink.feedState('crypto/XT', { is: 'open', sinceMs: unixMs(r.now) }, unixMs(r.now))
    r.trade(99)
    expect(r.alerts.list()).toMatchObject([{ state: { is: 'armed' } }])
    await r.alerts.close()
  })

  test('does not keep the file of when alerts were watched from being written', async () => {
    const dir = folder()
    const onDisk = alertFiles(dir)
    const alive: string[] = []
    const files: AlertFiles = {
      ...onDisk,
      save(name, text) {
        if (name === 'alive') alive.push(text)
        return onDisk.save(name, text)
      },
    }
    const r = rig(dir, { files })
    r.alerts.begin()
    await r.alerts.save(null, DRAFT)
    r.sweep(10_000)
    r.sweep(-7_200_000)
    r.sweep(9_999)
    expect(alive).toHaveLength(2)
    r.sweep(1)
    expect(alive.map((text) => (JSON.parse(text) as { ms: number }).ms - T0)).toEqual([10_000, -7_190_000, -7_180_000])
    await r.alerts.close()
  })
})

test('alerts of the demo market mean nothing on a real one', async () => {
  const r = rig(folder())
  r.alerts.begin()
  await r.alerts.save(null, DRAFT)
  r.market = 'service'
  r.alerts.sourceChanged()
  expect(r.alerts.list()[0]?.state).toEqual({ is: 'elsewhere' })
  r.trade(99)
  r.trade(101)
  expect(r.notices).toEqual([])
  r.market = 'demo'
  r.alerts.sourceChanged()
  r.trade(99)
  r.trade(101)
  expect(r.notices).toHaveLength(1)
})

test('deleting and undoing restores an alert; turning it on arms it again', async () => {
  const { r, id } = await firedOnce()
  const [{ state: _, ...alert }] = r.alerts.list()
  await r.alerts.remove([id])
  expect(r.alerts.list()).toEqual([])
  await r.alerts.restore([alert])
  expect(r.alerts.list()[0]).toMatchObject({ id, fired: 1, state: { is: 'fired' } })
  await r.alerts.enable([id], true)
  r.trade(99)
  r.trade(101)
  expect(r.alerts.list()[0]).toMatchObject({ fired: 2, state: { is: 'fired' } })
})

test('many at once share a few notifications', async () => {
  const r = rig(folder())
  r.alerts.begin()
  for (let i = 0; i < 20; i++) await r.alerts.save(null, { ...DRAFT, note: `${i}` })
  r.trade(99)
  r.trade(101)
  r.sweep(1_000)
  expect(r.notices).toHaveLength(5)
  expect(r.notices.at(-1)?.title).toBe('16 more alerts fired')
  await r.alerts.close()
})

test('a window gets all of them, then only what changed', async () => {
  const r = rig(folder())
  r.alerts.begin()
  const one = await r.alerts.save(null, DRAFT)
  const two = await r.alerts.save(null, {
    ...DRAFT,
    condition: { ...one.condition, level: 200 } as typeof one.condition,
  })
  let woken = 0
  const stream = r.alerts.stream(() => void (woken += 1))
  expect(stream.take()).toMatchObject({ reset: true, alerts: [{ id: one.id }, { id: two.id }], events: [] })
  expect(stream.take()).toBeUndefined()
  r.trade(99)
  r.trade(101)
  expect(woken).toBeGreaterThan(0)
  const value = stream.take()
  expect(value).toMatchObject({ reset: false, removed: [], events: [{ is: 'fired', alert: one.id }] })
  expect(value?.alerts.find(({ id }) => id === one.id)).toMatchObject({ state: { is: 'fired' } })
  await r.alerts.remove([two.id])
  expect(stream.take()).toMatchObject({ removed: [two.id] })
  stream.close()
})

describe('a snooze', () => {
  test('prevents an alert from firing until then, says so, and survives a restart', async () => {
    const dir = folder()
    const first = rig(dir)
    first.alerts.begin()
    const { id } = await first.alerts.save(null, DRAFT)
    first.trade(99)
    const untilMs = first.now + 300_000
    await first.alerts.snooze([id], untilMs)
    expect(first.alerts.list()[0]?.state).toEqual({ is: 'snoozed', untilMs })
    first.trade(101)
    first.trade(99)
    expect(first.notices).toEqual([])
    await first.alerts.close()

    const second = rig(dir, { now: untilMs - 60_000 })
    second.alerts.begin()
    second.alerts.sink.feedState('crypto/XT', { is: 'open', sinceMs: unixMs(second.now) }, unixMs(second.now))
    second.trade(99)
    second.trade(101)
    expect(second.alerts.list()[0]?.state).toEqual({ is: 'snoozed', untilMs })
    second.trade(99)
    second.sweep(60_000)
    expect(second.alerts.list()[0]?.state).toEqual({ is: 'armed' })
    second.trade(101)
    expect(second.notices).toHaveLength(1)
    const { events } = second.alerts.history({ alert: id, before: null, limit: 10 })
    expect(events.filter((event) => event.is === 'snoozed')).toMatchObject([{ untilMs, atMs: untilMs - 300_000 }])
    await second.alerts.close()
  })

  test('arms one that has fired again, to remind; it can be woken before; editing and turning on end it', async () => {
    const { r, id } = await firedOnce()
    await r.alerts.snooze([id], r.now + 900_000)
    expect(r.alerts.list()[0]).toMatchObject({ done: false, fired: 1, state: { is: 'snoozed' } })
    await r.alerts.snooze([id], null)
    r.trade(99)
    r.trade(102)
    expect(r.alerts.list()[0]).toMatchObject({ done: true, fired: 2 })
    for (const end of [() => r.alerts.enable([id], true), () => r.alerts.save(id, DRAFT)]) {
      await r.alerts.snooze([id], r.now + 900_000)
      await end()
      r.trade(99)
      expect(r.alerts.list()[0]?.state).toEqual({ is: 'armed' })
    }
    await r.alerts.close()
  })

  test('passes over what is off, expired or gone', async () => {
    const r = rig(folder())
    r.alerts.begin()
    const off = await r.alerts.save(null, { ...DRAFT, enabled: false })
    const over = await r.alerts.save(null, { ...DRAFT, expiresMs: r.now + 1 })
    r.sweep(1_000)
    await r.alerts.snooze([off.id, over.id, 'gone'], r.now + 900_000)
    expect(r.alerts.list().map(({ state }) => state.is)).toEqual(['off', 'expired'])
    expect(r.alerts.history({ alert: null, before: null, limit: 10 }).events.map(({ is }) => is)).toEqual(['expired'])
    await r.alerts.close()
  })

  test('of a feed that is still stale ends with the alert', async () => {
    const r = rig(folder())
    r.alerts.begin()
    const { id } = await r.alerts.save(null, { ...DRAFT, condition: { is: 'stale', afterMs: 10_000 } })
    const why = { code: 'offline' as const, message: '', hint: '', closeCode: null }
    const at = () => unixMs(r.now)
    r.alerts.sink.feedState('crypto/XT', { is: 'open', sinceMs: at() }, at())
    r.trade(99)
    await r.alerts.snooze([id], r.now + 60_000)
    r.alerts.sink.feedState('crypto/XT', { is: 'waiting', untilMs: at(), attempt: 1, why }, at())
    r.sweep(30_000)
    expect(r.notices).toEqual([])
    r.sweep(31_000)
    expect(r.notices).toHaveLength(1)
    await r.alerts.close()
  })
})

test('no change of alerts lets go of a symbol that stays wanted, not even for a moment', async () => {
  const holders = new Map<InstrumentId, number>()
  const released: InstrumentId[] = []
  const hold = (ids: readonly InstrumentId[], by: 1 | -1): void => {
    for (const id of ids) {
      holders.set(id, (holders.get(id) ?? 0) + by)
      if (holders.get(id) === 0) released.push(id)
    }
  }
  const r = rig(folder(), {
    subscribe(ids) {
      hold(ids, 1)
      return () => hold(ids, -1)
    },
  })
  const ETH = instrumentId('crypto', 'ETH-USD')
  r.alerts.begin()
  const { id: kept } = await r.alerts.save(null, DRAFT)
  const { id } = await r.alerts.save(null, { ...DRAFT, instrument: ETH })
  await r.alerts.save(id, { ...DRAFT, instrument: ETH, note: 'worded otherwise' })
  await r.alerts.snooze([id], T0 + 60_000)
  expect(released).toEqual([])
  await r.alerts.enable([id], false)
  expect(released.splice(0)).toEqual([ETH])
  await r.alerts.enable([id], true)
  await r.alerts.remove([id])
  expect(released.splice(0)).toEqual([ETH])
  r.alerts.sourceChanged()
  expect(released).toEqual([])
  expect([...holders]).toEqual([
    [BTC, 1],
    [ETH, 0],
  ])
  await r.alerts.remove([kept])
  await r.alerts.close()
  expect([...holders.values()]).toEqual([0, 0])
})

test('bars of the source before do not warm up an indicator of the next one', async () => {
  const answers: ((bars: readonly Bar[]) => void)[] = []
  const r = rig(folder(), { bars: () => new Promise((resolve) => answers.push(resolve)) })
  r.alerts.begin()
  const condition = smaBelowPrice(3)
  const { id } = await r.alerts.save(null, { ...DRAFT, condition })
  r.trade(100)
  const former = answers.splice(0)
  expect(former.length).toBeGreaterThan(0)
  r.alerts.sourceChanged()
  r.trade(100)
  expect(answers.length).toBeGreaterThan(0)
  const bars = [0, 1, 2, 3].map((n) => makeBar({ startMs: T0 + (n - 5) * 60_000, close: 90 }))
  const state = () => r.alerts.list().find((alert) => alert.id === id)?.state
  for (const answer of former) answer(bars)
  await new Promise((resolve) => setImmediate(resolve))
  expect(state()).toEqual({ is: 'waiting', for: 'bars' })
  for (const answer of answers) answer(bars)
  await new Promise((resolve) => setImmediate(resolve))
  expect(state()).toEqual({ is: 'armed' })
  await r.alerts.close()
})

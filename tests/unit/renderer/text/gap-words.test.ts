import { describe, expect, it } from 'vitest'
import type { ChartLegend } from '../../../../src/renderer/charts/model/chart.ts'
import { Zone } from '../../../../src/renderer/text/zone.ts'
import { gapText, spokenLegend } from '../../../../src/renderer/features/chart/model/chart-labels.ts'
import { causeText } from '../../../../src/renderer/text/replay-labels.ts'
import { causeLabel } from '../../../../src/shared/features/alerts/labels.ts'
import { GAP_CAUSES } from '../../../../src/shared/core/recording/session.ts'
import { unixMs } from '../../../../src/shared/base/units.ts'

describe('a cause of a gap', () => {
  it('has one name, and no other cause has it', () => {
    const names = GAP_CAUSES.map(causeText)
    expect(GAP_CAUSES.map(causeLabel)).toEqual(names)
    expect(new Set([...names, causeText('unreadable')]).size).toBe(GAP_CAUSES.length + 1)
  })

  it('says unreadable, not missing, for corrupt data', () => {
    const gap = { feed: 'crypto/XT', cause: 'unreadable', fromMs: unixMs(0), toMs: unixMs(1_000) } as const
    const legend = { bar: null, previousClose: null, fromCrosshair: true, rests: true, gap, atMs: 0, markers: [] }
    const whole = { ...legend, studies: [], compared: [] } satisfies ChartLegend
    const spoken = (one: ChartLegend): string =>
      spokenLegend(one, gapText(one.gap, 'UTC'), String, 1_000, new Zone('UTC'))
    expect(spoken(whole)).toBe('Can’t be read: stored messages corrupt 00:00:00.000 to 00:00:01.000')
    expect(spoken({ ...whole, gap: { ...gap, cause: 'drop' } })).toBe(
      'Nothing received: connection lost 00:00:00.000 to 00:00:01.000',
    )
  })

  it('includes the dates if it ends on another day', () => {
    const night = { feed: 'crypto/XT', cause: 'quit', fromMs: unixMs(86_399_000), toMs: unixMs(86_401_000) } as const
    expect(gapText(night, 'UTC')).toBe('recording stopped 01 Jan 1970 23:59:59 to 02 Jan 1970 00:00:01')
    expect(gapText({ ...night, toMs: null }, 'UTC')).toBe('recording stopped 01 Jan 1970 23:59:59 to now')
  })
})

/** Labels of a replay's state. */
import type { Gap } from '../../shared/core/recording/session.ts'
import { REPLAY_SPEEDS, type ReplayExactness, type ReplaySpeed } from '../../shared/features/replay/replay.ts'
import { t } from '../../shared/base/text.ts'
import { gapPhrase } from '../../shared/core/status/gap-texts.ts'
import type { SpanCause } from '../../shared/core/status/status.ts'
import { twoUnits } from './lengths.ts'
import { timeText } from './zone-time.ts'

/** "0.25×", "1000×", "max". */
export function speedText(speed: ReplaySpeed): string {
  return speed === 'max' ? t('max') : `${speed}\u00D7`
}

/** The next faster or slower speed; the fastest and slowest stay the same. */
export function speedAfter(speed: ReplaySpeed, by: 1 | -1): ReplaySpeed {
  const value = (one: ReplaySpeed) => (one === 'max' ? Infinity : one)
  const others = by === 1 ? REPLAY_SPEEDS : REPLAY_SPEEDS.toReversed()
  return others.find((one) => (value(one) - value(speed)) * by > 0) ?? speed
}

export interface ExactnessText {
  readonly text: string
  readonly tone: 'ok' | 'bad' | 'dim'
  readonly explanation: string
}

/** Describes whether the replay matches what was live, as a short label and a sentence. */
export function exactnessText(exactness: ReplayExactness, zone: string): ExactnessText {
  switch (exactness.is) {
    case 'none':
      return {
        text: t('not compared yet'),
        tone: 'dim',
        explanation: t('Each minute played in full is compared with the digest stored by live recording.'),
      }
    case 'identical':
      return {
        text: t(
          { one: 'identical ✓ {count} minute', other: 'identical ✓ {count} minutes' },
          { count: exactness.minutes },
        ),
        tone: 'ok',
        explanation: t(
          {
            one: 'Since the last jump, the market state matched the live state at the end of the one minute compared.',
            other: 'Since the last jump, the market state matched the live state at the end of every minute compared.',
          },
          { count: exactness.minutes },
        ),
      }
    case 'differs':
      return {
        text: t('differs at {time}', { time: timeText(exactness.minuteMs, zone) }),
        tone: 'bad',
        explanation: t(
          'First difference: the minute from {time}, before entry {seq}. Live digest {live}…, replay digest {replay}…',
          {
            time: timeText(exactness.minuteMs, zone, 'stamp'),
            seq: String(exactness.seq),
            live: exactness.live.slice(0, 12),
            replay: exactness.replay.slice(0, 12),
          },
        ),
      }
    case 'not comparable':
      return { text: t('not comparable'), tone: 'dim', explanation: exactness.why }
  }
}

/** The cause of a gap: not received, or corrupt. */
export const causeText = (cause: SpanCause): string => gapPhrase(`gap.cause.${cause}`)

/** What a feed missed by cause, one a line, as a tooltip. */
export const causesText = (
  causes: readonly { readonly cause: SpanCause; readonly gaps: number; readonly ms: number }[],
): string =>
  causes
    .map(({ cause, gaps, ms }) => t('{cause}: {gaps}, {span}', { cause: causeText(cause), gaps, span: spanText(ms) }))
    .join('\n')

/** A length of time in its two largest units: "850 ms", "4.2 s", "3 min 20 s", "2 h 5 min", "3 d 4 h". */
export function spanText(ms: number): string {
  if (ms >= 1000 && ms < 60_000) return t('{n} s', { n: (Math.floor(ms / 100) / 10).toFixed(1) })
  return twoUnits(ms < 1000 ? Math.round(ms) : Math.floor(ms / 1000) * 1000)
}

/** A gap as one line: "connection lost · crypto/XT · 09:31:22 for 4.2 s". */
export function gapText(gap: Gap, zone: string): string {
  const lasted = gap.toMs === null ? t('until the end') : t('for {span}', { span: spanText(gap.toMs - gap.fromMs) })
  return `${causeText(gap.cause)} \u00B7 ${gap.feed} \u00B7 ${timeText(gap.fromMs, zone)} ${lasted}`
}

/** "Looping 04:40:00.000 to 04:40:05.000 (5.0 s)." Times in UTC ms, shown in `zone`. */
export function loopText({ fromMs, toMs }: { readonly fromMs: number; readonly toMs: number }, zone: string): string {
  return t('Looping {time} to {time2} ({span}).', {
    time: timeText(fromMs, zone, 'millis'),
    time2: timeText(toMs, zone, 'millis'),
    span: spanText(toMs - fromMs),
  })
}

/** A line of the log each minute that says how a recorder or terminal is, so that silence means that it is dead. */
import { countText } from '../../../shared/base/count-text.ts'
import type { StatusState } from '../../../shared/core/status/status.ts'
import type { Clock } from '../../base/clock.ts'
import type { LogFacts } from '../../base/log-facts.ts'
import type { ServiceLog } from '../../command-line/command.ts'
import type { ServiceManager } from '../../command-line/service-manager.ts'

export const HEARTBEAT_MS = 60_000

/** Writes to the log, which a person at a terminal doesn't need, and to the service manager. Returns how to stop it. */
export function startHeartbeat(
  clock: Clock,
  read: () => StatusState,
  log: ServiceLog,
  manager: Pick<ServiceManager, 'ready'>,
): () => void {
  let cancel = (): void => {}
  const beat = (): void => {
    cancel = clock.after(HEARTBEAT_MS, () => {
      const now = read()
      const text = heartbeatText(now)
      if (log.format !== 'screen') log.add('info', text, heartbeatFacts(now))
      manager.ready(text)
      beat()
    })
  }
  beat()
  return () => cancel()
}

const isOpen = ({ state }: StatusState['feeds'][number]): boolean => state.is === 'open' || state.is === 'stale'

const heartbeatText = ({ feeds, stored, gapsToday }: StatusState): string =>
  `${countText(feeds.filter(isOpen).length, 'feed')} open, ${countText(stored, 'message')} stored, ` +
  `${countText(gapsToday, 'gap')} today.`

function heartbeatFacts(status: StatusState): LogFacts {
  const { feeds, received, stored, perSecond, receiveToStored, backlogBytes, store, gapsToday, recorder } = status
  return {
    event: 'heartbeat',
    recording: recorder.is === 'recording',
    feeds: feeds.filter(({ state }) => state.is !== 'idle').length,
    feeds_open: feeds.filter(isOpen).length,
    received,
    stored,
    per_second: Math.round(perSecond),
    delay_ms_p99: receiveToStored?.p99 ?? null,
    backlog_bytes: backlogBytes,
    store_bytes: store.bytes,
    free_bytes: store.freeBytes === 0 ? null : store.freeBytes,
    gaps_today: gapsToday,
  }
}

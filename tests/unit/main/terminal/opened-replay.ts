/** A replay of stored sessions with nothing around it: no alerts, no bookmarks kept, a store that is there. */
import { systemClock, type Clock } from '../../../../src/main/base/clock.ts'
import type { LocalReader } from '../../../../src/main/core/store/threads/reader.ts'
import { hubCalendar } from '../../../../src/main/core/market/hub-calendar.ts'
import { openReplay, type OpenReplay } from '../../../../src/main/features/replay/replay-view.ts'
import { status } from '../../../kit/status.ts'
import type { StatusState } from '../../../../src/shared/core/status/status.ts'
import type { SessionId } from '../../../../src/shared/base/units.ts'

/** Opens them; whatever fails behind its back is thrown. */
export const openedReplay = (
  reader: LocalReader,
  sessions: readonly SessionId[],
  team = false,
  clock: Clock = systemClock,
  statusNow: () => StatusState = status,
): Promise<OpenReplay> =>
  openReplay({
    id: 'replay-1',
    sessions,
    team,
    reader,
    writer: { addBookmark: () => Promise.reject(new Error('none')), removeBookmark: () => Promise.resolve(false) },
    clock,
    calendar: hubCalendar,
    storeIsAway: () => false,
    nameOf: () => null,
    companions: [],
    status: statusNow,
    failed(what, thrown) {
      throw new Error(`${what}: ${String(thrown)}`)
    },
  })

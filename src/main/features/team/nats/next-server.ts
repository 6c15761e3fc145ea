/** Which of a cluster's servers to try next. */
import type { Server } from '@nats-io/transport-node'

/**
 * Returns the server whose last connection attempt is the oldest; of several, the first. With more than one server,
 * that is never the one that was just lost. A server that hangs still accepts connections, so trying it again would
 * take the whole time limit.
 */
export function nextServer(pool: readonly Pick<Server, 'lastConnect'>[]): number {
  let next = 0
  for (const [i, { lastConnect }] of pool.entries()) if (lastConnect < pool[next].lastConnect) next = i
  return next
}

/**
 * Long work in the thread that receives the market. A thread's messages don't end a turn of its event loop: Node hands
 * over up to a thousand of them in one, so work that waits for nothing but the store's thread would keep sockets,
 * timers and signals waiting for seconds.
 */
const waiting: (() => void)[] = []

function resumeNext(): void {
  const resume = waiting.shift()
  if (waiting.length > 0) setImmediate(resumeNext)
  resume?.()
}

/**
 * Resolves in a turn of the event loop that no other long work of this thread gets, in the order of the calls. Await it
 * between pieces of a few milliseconds.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(resumeNext)
  })
}

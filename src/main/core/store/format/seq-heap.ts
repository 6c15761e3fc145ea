/** A binary heap of streams, ordered by the seq of their next row. */
export interface SeqStream {
  seq: number
}

/** Adds a stream. */
export function pushHead<T extends SeqStream>(heap: T[], head: T): void {
  let i = heap.push(head) - 1
  while (i > 0) {
    const parent = (i - 1) >> 1
    if (heap[parent].seq <= head.seq) break
    heap[i] = heap[parent]
    i = parent
  }
  heap[i] = head
}

/** Restores the order after the first stream advanced. */
export function sinkHead(heap: SeqStream[]): void {
  if (heap.length === 0) return
  const head = heap[0]
  let i = 0
  for (;;) {
    let child = 2 * i + 1
    if (child >= heap.length) break
    if (child + 1 < heap.length && heap[child + 1].seq < heap[child].seq) child++
    if (heap[child].seq >= head.seq) break
    heap[i] = heap[child]
    i = child
  }
  heap[i] = head
}

/** Removes the first stream. */
export function dropHead<T extends SeqStream>(heap: T[]): void {
  const last = heap.pop()
  if (last === undefined || heap.length === 0) return
  heap[0] = last
  sinkHead(heap)
}

/** The seq up to which the first stream can continue before another one is next. */
export function nextStreamSeq(heap: readonly SeqStream[]): number {
  return Math.min(heap.length > 1 ? heap[1].seq : Infinity, heap.length > 2 ? heap[2].seq : Infinity)
}

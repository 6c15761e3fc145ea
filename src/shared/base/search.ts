/** Binary searches. */

/** Returns how many numbers of an ascending array are at most `value`: the index of the first greater one. */
export function upperBound(ascending: ArrayLike<number>, value: number): number {
  let low = 0
  let high = ascending.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (ascending[middle] <= value) low = middle + 1
    else high = middle
  }
  return low
}

/** Index of the first row for which `isBefore` is false; it is true for all before and for none after. */
export function firstAfter<T>(rows: ArrayLike<T>, isBefore: (row: T) => boolean): number {
  let low = 0
  let high = rows.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (isBefore(rows[middle])) low = middle + 1
    else high = middle
  }
  return low
}

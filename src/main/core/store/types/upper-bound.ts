/** The first place of an ascending array that is greater than `value`. */
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

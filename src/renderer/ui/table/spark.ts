/** The SVG path of values spread over width × height px; '' with fewer than two. */
export function sparkPath(values: readonly number[], width: number, height: number): string {
  if (values.length < 2) return ''
  let low = Infinity
  let high = -Infinity
  for (const value of values) {
    if (value < low) low = value
    if (value > high) high = value
  }
  const span = high - low
  const step = width / (values.length - 1)
  const y = (value: number) => (span > 0 ? 1 + ((high - value) / span) * (height - 2) : height / 2)
  return values.map((value, i) => `${i === 0 ? 'M' : 'L'}${(i * step).toFixed(1)} ${y(value).toFixed(1)}`).join('')
}

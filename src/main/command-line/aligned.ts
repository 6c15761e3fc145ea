/** Tables for people, in columns as wide as their longest cell. */

/** Lines of cells with two spaces between columns; cells of `right` columns are aligned right. */
export function aligned(lines: readonly (readonly string[])[], right: readonly number[] = []): string {
  const widths = (lines[0] ?? []).map((_, at) =>
    lines.reduce((most, line) => Math.max(most, (line[at] ?? '').length), 0),
  )
  const pad = (text: string, at: number): string =>
    right.includes(at) ? text.padStart(widths[at] ?? 0) : text.padEnd(widths[at] ?? 0)
  return lines.map((cells) => `${cells.map(pad).join('  ').trimEnd()}\n`).join('')
}

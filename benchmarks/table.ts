/** Columns padded to their widest cell; the last is left as it is. The first line holds the heads. */
export function table(lines: readonly (readonly string[])[]): string {
  const widths = lines[0].map((_, i) => Math.max(...lines.map((line) => line[i].length)))
  return lines
    .map((line) => line.map((cell, i) => (i === line.length - 1 ? cell : cell.padEnd(widths[i]))).join('  '))
    .join('\n')
}

/** Reads files that the app exported. */
import { readFile } from 'node:fs/promises'

/** The trades of a symbol in a CSV file of ours, without quoted cells before the message. */
export async function tradesOf(
  file: string,
  symbol: string,
): Promise<{ eventMs: number; price: number; size: number }[]> {
  const [head = '', ...lines] = (await readFile(file, 'utf8')).trimEnd().split('\n')
  const names = head.split(',')
  return lines
    .map((line) => line.split(','))
    .filter((cells) => cells[names.indexOf('symbol')] === symbol)
    .map((cells) => ({
      eventMs: Number(cells[names.indexOf('event_ms')]),
      price: Number(cells[names.indexOf('price')]),
      size: Number(cells[names.indexOf('size')]),
    }))
}

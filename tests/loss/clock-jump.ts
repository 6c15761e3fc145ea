/**
 * Loaded before a program (`node --import`): its wall clock is ahead by the milliseconds in the file that CLOCK_FILE names, as if
 * somebody had set the machine's. The monotonic clock stays as it is.
 */
import { readFileSync } from 'node:fs'

const file = process.env.CLOCK_FILE ?? ''
const now = Date.now
let aheadMs = 0
const read = (): void => {
  try {
    aheadMs = Number(readFileSync(file, 'utf8'))
  } catch {
    aheadMs = 0 // it hasn't been set yet
  }
}
read()
setInterval(read, 50).unref()
Date.now = () => now() + aheadMs

/** The machine's sleep, as the terminal wants to know it. */
import type { PowerMonitor } from 'electron'

/** What of a terminal sleeps. */
export interface Sleeper {
  sleep(): void
  wake(): void
}

/** Tells the terminal before the machine sleeps and after it woke. `shutdown`: the system is going down now. */
export function followPower(powerMonitor: PowerMonitor, terminal: Sleeper, shutdown: () => void): void {
  powerMonitor.on('suspend', () => terminal.sleep())
  powerMonitor.on('resume', () => terminal.wake())
  powerMonitor.on('shutdown', () => shutdown())
}

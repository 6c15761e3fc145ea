/**
 * Work after the last test of each file, or when a program ends that runs outside of Vitest. Last added, first done. Files
 * can share a process in which modules are loaded once, so the setup of a file asks for the work, not this module.
 */
type Work = () => void | Promise<void>

const added: Work[] = []

/** `work` may be called again. When a program ends, what it does after its first `await` isn't done. */
export const atEnd = (work: Work): void => void added.push(work)

/** Does it. */
export async function endFile(): Promise<void> {
  for (const work of added.toReversed()) await work()
}

process.on('exit', () => {
  for (const work of added.toReversed()) void work()
})

/** Work after the last test of a file, or when a program ends that runs outside of Vitest. Last added, first done. */
type Work = () => void | Promise<void>

const added: Work[] = []

/** Outside of Vitest, what `work` does after its first `await` isn't done. */
export const atEnd: (work: Work) => void =
  process.env.VITEST === undefined ? (work) => void added.push(work) : (await import('vitest')).afterAll

process.on('exit', () => {
  for (const work of added.splice(0).reverse()) void work()
})

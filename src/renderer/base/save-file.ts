/** Gives the user a file that the window made. */

/** Saves a text or bytes under a name that every file system takes. */
export function saveFile(name: string, content: BlobPart, type: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = safeName(name)
  link.click()
  // The download has its own hold on the data once it has begun.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

/** A name without what a file system or a shell would take for something else. */
export function safeName(name: string): string {
  return (
    name
      .replace(/[^\p{L}\p{N}._ -]+/gu, '-')
      .replace(/^[.\s-]+|[.\s-]+$/g, '')
      .slice(0, 120) || 'tapedeck'
  )
}

/** Downloads files created by the window. */

/** Saves text or bytes under a name that every file system accepts. */
export function saveFile(name: string, content: BlobPart, type: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = safeName(name)
  link.click()
  // Once the download has started, it no longer needs the URL.
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}

/** Removes characters that are special to a file system or a shell. */
export function safeName(name: string): string {
  return (
    name
      .replace(/[^\p{L}\p{N}._ -]+/gu, '-')
      .replace(/^[.\s-]+|[.\s-]+$/g, '')
      .slice(0, 120) || 'tapedeck'
  )
}

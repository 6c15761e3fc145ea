/** Splits a text into matches of a search and the parts between them. */
export function marked(text: string, search: string): readonly { readonly text: string; readonly hit: boolean }[] {
  const wanted = search.trim().toLowerCase()
  if (wanted === '') return [{ text, hit: false }]
  const lower = text.toLowerCase()
  // Some letters change length when lowercased, so positions in `lower` wouldn't match the text.
  if (lower.length !== text.length) return [{ text, hit: false }]
  const parts: { text: string; hit: boolean }[] = []
  let from = 0
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, from)) {
    if (at > from) parts.push({ text: text.slice(from, at), hit: false })
    from = at + wanted.length
    parts.push({ text: text.slice(at, from), hit: true })
  }
  if (from < text.length) parts.push({ text: text.slice(from), hit: false })
  return parts
}

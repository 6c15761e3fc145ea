// Sections of CHANGELOG.md.

/**
 * The text below the heading of a version (`## 1.2.3` or `## 1.2.3 (2026-01-05)`), up to the next one; undefined: there is none.
 * @param {string} text
 * @param {string} version
 */
export function sectionOf(text, version) {
  const sections = text.split(/^## /m).slice(1)
  const found = sections.find((section) => section.split(/[\s\n]/, 1)[0] === version)
  const body = found?.slice(found.indexOf('\n')).trim()
  return body === '' ? undefined : body
}

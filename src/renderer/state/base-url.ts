/** What is wrong with a base URL, or null. Plain http is for this machine only. */
export function urlProblem(text: string): string | null {
  const trimmed = text.trim()
  if (trimmed === '') return 'Type the base URL of your service, such as https://data.example.com.'
  if (!URL.canParse(trimmed)) return 'This is no URL. It begins with https:// and a host name.'
  const url = new URL(trimmed)
  if (url.username !== '' || url.password !== '') return 'Leave user and password out of the URL.'
  const loopback = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  if (url.protocol === 'https:' || (url.protocol === 'http:' && loopback)) return null
  return 'Use https://. Plain http is accepted for this machine only (127.0.0.1).'
}

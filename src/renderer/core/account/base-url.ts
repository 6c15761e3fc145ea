/** What is wrong with a base URL, or null. Plain http is for this machine only. */
import { say } from '../../text/catalogue.ts'
export function urlProblem(text: string): string | null {
  const trimmed = text.trim()
  if (trimmed === '') return say('baseUrl.type-base-url-your')
  if (!URL.canParse(trimmed)) return say('baseUrl.no-url-begins-https')
  const url = new URL(trimmed)
  if (url.username !== '' || url.password !== '') return say('baseUrl.leave-user-password-out')
  const loopback = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  if (url.protocol === 'https:' || (url.protocol === 'http:' && loopback)) return null
  return say('baseUrl.use-https-plain-http')
}

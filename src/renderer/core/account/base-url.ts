/** Explains what is wrong with a base URL, or returns null. Plain http is allowed only for this computer. */
import { t } from '../../../shared/base/text.ts'
export function urlProblem(text: string): string | null {
  const trimmed = text.trim()
  if (trimmed === '') return t('Enter the base URL of your service, such as https://data.example.com.')
  if (!URL.canParse(trimmed)) return t('That isn’t a valid URL. Start with https:// and a host name.')
  const url = new URL(trimmed)
  if (url.username !== '' || url.password !== '') return t('Remove the user and password from the URL.')
  const loopback = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  if (url.protocol === 'https:' || (url.protocol === 'http:' && loopback)) return null
  return t('Use https://. Plain http is allowed for this machine only (127.0.0.1).')
}

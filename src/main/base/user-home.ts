import { homedir } from 'node:os'
import { parse } from 'node:path'

/**
 * The user's home folder. A user whom the system's list doesn't name has none without HOME, such as one that systemd makes
 * for a service (DynamicUser) on a Debian without libnss-systemd. Like there and in containers, it is then the root folder.
 */
export function userHome(): string {
  try {
    return homedir()
  } catch {
    return parse(process.cwd()).root
  }
}

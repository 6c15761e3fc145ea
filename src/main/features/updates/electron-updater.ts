/**
 * electron-updater behind the `Updater` port. It verifies downloads: SHA-512 always, and the signature where the
 * system has one.
 */
import type { AppUpdater, UpdateInfo } from 'electron-updater'
import type { Release } from '../../../shared/features/updates/updates.ts'
import { BOUNDS, boundRequests, type Bounds, type Requests } from './bounds.ts'
import type { Updater } from '../../terminal/host.ts'

const MAX_NOTES = 20_000

/**
 * Release notes are untrusted and shown as plain text. Removes markup in a single pass, however many brackets it
 * contains.
 */
function notesOf({ releaseNotes }: UpdateInfo): string {
  const text = Array.isArray(releaseNotes)
    ? releaseNotes.map(({ version, note }) => `${version}\n${note ?? ''}`).join('\n\n')
    : (releaseNotes ?? '')
  return text
    .replace(/<[^<>]*>/g, '')
    .slice(0, MAX_NOTES)
    .trim()
}

/** The release described by electron-updater's info. */
export function releaseOf(info: UpdateInfo): Release {
  const dateMs = Date.parse(info.releaseDate)
  return { version: info.version, notes: notesOf(info), dateMs: Number.isNaN(dateMs) ? null : dateMs }
}

/**
 * Whether a list of releases is safe to parse. It is YAML, whose anchors let a few lines expand to billions of nodes,
 * which would block the process that records. No publishing tool writes anchors.
 */
export function isPlainList(text: string): boolean {
  if (text.length > BOUNDS.listBytes) return false
  const anchors = new Set([...text.matchAll(/&([^\s,[\]{}]+)/g)].map(([, name]) => name))
  return ![...text.matchAll(/\*([^\s,[\]{}]+)/g)].some(([, name]) => anchors.has(name))
}

/** The part of an updater's network code that is used here. */
interface Lists extends Requests {
  request(...asked: unknown[]): Promise<string | null>
}

function refuseOddLists(lists: Lists): void {
  const request = lists.request.bind(lists)
  lists.request = async (...asked) => {
    const text = await request(...asked)
    if (text !== null && !isPlainList(text)) throw new Error('The list of releases can’t be read.')
    return text
  }
}

/** Wraps an updater. It downloads only on request, within `bounds`, and installs a verified update on quit. */
export function updaterOf(updater: AppUpdater, bounds: Bounds = BOUNDS): Updater {
  updater.autoDownload = false
  updater.autoInstallOnAppQuit = true
  updater.logger = null
  // A private field of electron-updater: nothing public lies between its network code and its parser.
  const { httpExecutor } = updater as unknown as { readonly httpExecutor: Lists }
  boundRequests(httpExecutor, bounds)
  refuseOddLists(httpExecutor)
  return {
    async check(channel) {
      updater.channel = channel === 'beta' ? 'beta' : 'latest'
      // Setting a channel enables downgrades. They are wanted only when a user switches from beta back to stable.
      updater.allowDowngrade = false
      const found = await updater.checkForUpdates()
      return found?.isUpdateAvailable ? releaseOf(found.updateInfo) : null
    },
    async download(onProgress) {
      const listener = ({ percent, bytesPerSecond }: { percent: number; bytesPerSecond: number }): void =>
        onProgress(percent / 100, bytesPerSecond)
      updater.on('download-progress', listener)
      try {
        await updater.downloadUpdate()
      } finally {
        updater.off('download-progress', listener)
      }
    },
    install: () => updater.quitAndInstall(),
  }
}

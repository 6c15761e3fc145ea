/** Path of Electron's executable: the one ELECTRON_OVERRIDE_DIST_PATH names, else the fetched one; undefined: none. */
export function findElectron(env?: Readonly<Record<string, string | undefined>>): string | undefined
export declare function sandboxCure(electron: string): string

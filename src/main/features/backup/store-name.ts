/** The store's file name in a backup, whatever its name on this machine. */
export const STORE_NAME = 'tapedeck.db'

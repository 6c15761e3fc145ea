/** The store's name in a backup, whatever it is called at home. */
export const STORE_NAME = 'tapedeck.db'

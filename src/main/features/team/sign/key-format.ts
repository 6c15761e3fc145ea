/** How NKeys of users look. */

/** A public key: `U` and 55 characters. */
export const PUBLIC_KEY = /^U[A-Z2-7]{55}$/
/** A seed: `SU` and 56 characters. Secret. */
export const SEED = /^SU[A-Z2-7]{56}$/

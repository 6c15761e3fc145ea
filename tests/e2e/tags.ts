/** Tag of a test that says nothing more in Electron than in the browser host, and belongs to that project alone. */
export const BROWSER_ONLY = '@browser-only'

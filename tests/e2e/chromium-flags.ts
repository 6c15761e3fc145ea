/** How the tests start Chromium. */

/** The pages in which Chromium shows suggestions for its address bar. */
export const ADDRESS_BAR_PAGES = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup']
/**
 * Features that every Chromium goes without. The address bar's two pages load with each new window or context, in which
 * nobody types an address: two thirds of the processor time of an empty context. The flag replaces Playwright's own, so its
 * list follows (`disabledFeatures` in playwright-core).
 */
const DISABLED_FEATURES = [
  ...ADDRESS_BAR_PAGES,
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsUpgrades',
  'HttpsFirstBalancedModeAutoEnable',
  'LensOverlay',
  'MediaRouter',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'TcpPortRandomizationWin',
  'OptimizationHints',
  'NetworkTimeServiceQuerying',
  'AimEnabled',
  'PreconnectToSearch',
]

/** Flags of every Chromium that the tests start. */
export const CHROMIUM_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  `--disable-features=${DISABLED_FEATURES.join(',')}`,
]

/** Asset classes as users read them. */
import { labelsOf } from '../../shared/base/text.ts'

export const assetLabel = labelsOf({ crypto: 'Crypto', forex: 'Forex', stocks: 'Stocks' })

/** Labels of asset classes. */
import { labelsOf } from '../../shared/base/text.ts'

export const assetLabel = labelsOf({ crypto: 'Crypto', forex: 'Forex', stocks: 'Stocks' })

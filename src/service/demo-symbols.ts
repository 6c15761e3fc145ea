/** The symbols of the demo market that symbol search offers. Any other symbol trades there, too. */
import type { AssetClass } from '../shared/base/units.ts'

export interface DemoSymbol {
  readonly asset: AssetClass
  /** The symbol as the service writes it. */
  readonly symbol: string
  readonly name: string
}

const rows = (asset: AssetClass, list: readonly (readonly [string, string])[]): DemoSymbol[] =>
  list.map(([symbol, name]) => ({ asset, symbol, name }))

export const DEMO_SYMBOLS: readonly DemoSymbol[] = [
  ...rows('crypto', [
    ['BTC-USD', 'Bitcoin'],
    ['ETH-USD', 'Ether'],
    ['SOL-USD', 'Solana'],
    ['XRP-USD', 'XRP'],
    ['DOGE-USD', 'Dogecoin'],
    ['ADA-USD', 'Cardano'],
    ['LTC-USD', 'Litecoin'],
    ['BCH-USD', 'Bitcoin Cash'],
    ['DOT-USD', 'Polkadot'],
    ['AVAX-USD', 'Avalanche'],
    ['LINK-USD', 'Chainlink'],
    ['UNI-USD', 'Uniswap'],
    ['ATOM-USD', 'Cosmos'],
    ['XLM-USD', 'Stellar'],
    ['ETC-USD', 'Ethereum Classic'],
    ['FIL-USD', 'Filecoin'],
    ['AAVE-USD', 'Aave'],
    ['NEAR-USD', 'NEAR Protocol'],
    ['SHIB-USD', 'Shiba Inu'],
    ['BTC-EUR', 'Bitcoin in euros'],
    ['ETH-BTC', 'Ether in bitcoin'],
  ]),
  ...rows('forex', [
    ['EURUSD', 'Euro / US dollar'],
    ['GBPUSD', 'Pound sterling / US dollar'],
    ['USDJPY', 'US dollar / Japanese yen'],
    ['AUDUSD', 'Australian dollar / US dollar'],
    ['NZDUSD', 'New Zealand dollar / US dollar'],
    ['USDCAD', 'US dollar / Canadian dollar'],
    ['USDCHF', 'US dollar / Swiss franc'],
    ['EURGBP', 'Euro / pound sterling'],
    ['EURJPY', 'Euro / Japanese yen'],
    ['EURCHF', 'Euro / Swiss franc'],
    ['EURAUD', 'Euro / Australian dollar'],
    ['GBPJPY', 'Pound sterling / Japanese yen'],
    ['AUDJPY', 'Australian dollar / Japanese yen'],
    ['CADJPY', 'Canadian dollar / Japanese yen'],
    ['CHFJPY', 'Swiss franc / Japanese yen'],
    ['AUDNZD', 'Australian dollar / New Zealand dollar'],
    ['USDSEK', 'US dollar / Swedish krona'],
    ['USDNOK', 'US dollar / Norwegian krone'],
    ['USDMXN', 'US dollar / Mexican peso'],
    ['USDZAR', 'US dollar / South African rand'],
    ['USDCNH', 'US dollar / offshore yuan'],
    ['USDINR', 'US dollar / Indian rupee'],
  ]),
  ...rows('stocks', [
    ['SPY', 'SPDR S&P 500 ETF Trust'],
    ['QQQ', 'Invesco QQQ Trust'],
    ['IBM', 'International Business Machines'],
    ['AAPL', 'Apple Inc.'],
    ['MSFT', 'Microsoft Corporation'],
    ['NVDA', 'NVIDIA Corporation'],
    ['TSLA', 'Tesla, Inc.'],
    ['AMZN', 'Amazon.com, Inc.'],
    ['GOOGL', 'Alphabet Inc. Class A'],
    ['META', 'Meta Platforms, Inc.'],
    ['BRK.B', 'Berkshire Hathaway Inc. Class B'],
    ['JPM', 'JPMorgan Chase & Co.'],
    ['V', 'Visa Inc.'],
    ['JNJ', 'Johnson & Johnson'],
    ['WMT', 'Walmart Inc.'],
    ['PG', 'Procter & Gamble Company'],
    ['XOM', 'Exxon Mobil Corporation'],
    ['KO', 'Coca-Cola Company'],
    ['DIS', 'Walt Disney Company'],
    ['INTC', 'Intel Corporation'],
    ['AMD', 'Advanced Micro Devices, Inc.'],
    ['NFLX', 'Netflix, Inc.'],
    ['BAC', 'Bank of America Corporation'],
    ['GE', 'GE Aerospace'],
    ['F', 'Ford Motor Company'],
    ['GM', 'General Motors Company'],
    ['BA', 'Boeing Company'],
    ['CSCO', 'Cisco Systems, Inc.'],
    ['ORCL', 'Oracle Corporation'],
    ['T', 'AT&T Inc.'],
  ]),
]

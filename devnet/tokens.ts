/** The devnet's tokens as the traffic knows them. Prices are approximate. */
export const DEVNET_TOKENS = {
  USDC: { decimals: 6, cents: 100 },
  USDT: { decimals: 6, cents: 100 },
  WETH: { decimals: 18, cents: 300_000 },
  ZEN: { decimals: 18, cents: 1_000 },
  cBTC: { decimals: 8, cents: 10_000_000 },
} as const

export type TokenSymbol = keyof typeof DEVNET_TOKENS

export const TOKEN_SYMBOLS = Object.keys(DEVNET_TOKENS) as TokenSymbol[]

/** Base units of a token worth this many cents, rounded down. */
export function worth(symbol: TokenSymbol, cents: number): bigint {
  const token = DEVNET_TOKENS[symbol]
  return (BigInt(Math.round(cents)) * 10n ** BigInt(token.decimals)) / BigInt(token.cents)
}

import { TOKEN_SYMBOLS, type TokenSymbol, worth } from '../tokens.ts'
import { drawFor } from './draw.ts'

/** What a sender offers. */
export type Offer = {
  /** Position among the senders. */
  sender: number
  tokenA: TokenSymbol
  tokenB: TokenSymbol
  /** Base units of tokenA. */
  amountA: bigint
  /** Base units of tokenB. */
  expectedAmountB: bigint
  /** Base units of tokenA. */
  reward: bigint
  /** Basis points: 250 unshielded, 700 shielded. */
  feeBps: 250 | 700
  /** Whether the recovery blob rides on the creation (else it comes with the anchor). */
  blobAtCreation: boolean
}

/** What is offered in a chain's intent of this number. */
export function offerOf(seed: number, chainId: number, sequence: number, senders: number): Offer {
  const draw = drawFor(seed, 'offer', chainId, sequence)
  const tokenA = TOKEN_SYMBOLS[(sequence - 1) % TOKEN_SYMBOLS.length] ?? 'USDC'
  // Mostly the same asset on the other side, sometimes a swap on the way.
  const tokenB = draw.fraction() < 0.6 ? tokenA : draw.pick(TOKEN_SYMBOLS)
  // From 20 to 20,000 dollars, small ones as likely as large ones.
  const cents = Math.round(2_000 * 1_000 ** draw.fraction())
  const feeBps = draw.fraction() < 0.3 ? 700 : 250
  const keptBps = 10_000 - feeBps - draw.between(10, 60)
  return {
    sender: draw.between(0, senders - 1),
    tokenA,
    tokenB,
    amountA: worth(tokenA, cents),
    expectedAmountB: (worth(tokenB, cents) * BigInt(keptBps)) / 10_000n,
    reward: (worth(tokenA, cents) * BigInt(draw.between(5, 50))) / 10_000n,
    feeBps,
    blobAtCreation: draw.fraction() < 0.5,
  }
}

import { FEE_BPS } from '../../src/money/bps.ts'
import { TOKEN_SYMBOLS, type TokenSymbol, worth } from '../tokens.ts'
import { findScenarioBySequence, isTooDear } from './scenario.ts'
import { drawFor } from './seededRandom.ts'

/** What a sender offers. */
type Offer = {
  /** Index among the senders. */
  sender: number
  tokenA: TokenSymbol
  tokenB: TokenSymbol
  /** Base units of tokenA. */
  amountA: bigint
  /** Base units of tokenB. */
  expectedAmountB: bigint
  /** Base units of tokenA. */
  reward: bigint
  /**
   * Whether the creation carries the sealed recipients; otherwise the relayer gets them over HTTP.
   */
  blobAtCreation: boolean
}

/** The offer of the chain's intent with this number. */
export function chooseSenderOffer(
  seed: number,
  chainId: number,
  sequence: number,
  senders: number,
): Offer {
  const draw = drawFor(seed, 'offer', chainId, sequence)
  const { kind } = findScenarioBySequence(seed, chainId, sequence)
  const tokenA = TOKEN_SYMBOLS[(sequence - 1) % TOKEN_SYMBOLS.length] ?? 'USDC'
  // Mostly the same asset on the other chain, sometimes a swap.
  const drawn = draw.fraction() < 0.6 ? tokenA : draw.pick(TOKEN_SYMBOLS)
  const tokenB = kind === 'refused' ? 'USDC' : drawn
  // From 20 to 20,000 dollars, uniform on a logarithmic scale.
  const cents = Math.round(2_000 * 1_000 ** draw.fraction())
  // What is left after the fee and a margin for the solver; or a hundredth more than it is worth.
  const keptBps = 10_000 - FEE_BPS.unshielded - draw.between(20, 70)
  const askedBps = isTooDear(kind) ? 10_100 : keptBps
  return {
    sender: draw.between(0, senders - 1),
    tokenA,
    tokenB,
    amountA: worth(tokenA, cents),
    expectedAmountB: (worth(tokenB, cents) * BigInt(askedBps)) / 10_000n,
    reward: (worth(tokenA, cents) * BigInt(draw.between(5, 50))) / 10_000n,
    blobAtCreation: draw.fraction() < 0.5 && kind !== 'unanchored',
  }
}

import type { Status } from '../../../core/intent/status.ts'
import type { TokenSymbol } from '../../../devnet/tokens.ts'
import { DEVNET_TOKENS, worth } from '../../../devnet/tokens.ts'
import { drawRandomRecipients } from '../../../devnet/traffic/drawRandomRecipients.ts'
import type { Scenario, ScenarioKind } from '../../../devnet/traffic/scenario.ts'

/** An intent of the test: who offers what, how the recipients are named, and how it ends. */
export type PlannedIntent = {
  name: string
  /** Index of the source chain among the two. */
  from: 0 | 1
  tokenA: TokenSymbol
  tokenB: TokenSymbol
  /** Value of the offer, in cents. */
  cents: number
  /** Requested output, in basis points of that. */
  askedBps: number
  kind: ScenarioKind
  naming: 'blob' | 'encrypted' | 'plaintext' | 'never'
  recipients: number
  /** Basis points of the requested output that the bundle names; the rest is shared among recipients. */
  namedBps: number
  /** Whether the sender requests its refund; otherwise somebody else does. */
  asksRefund: boolean
  ends: Status
  /** Auction length. */
  auctionSeconds: number
}

const FAIR = 9_700
export const TOO_EXPENSIVE = 10_100

export const USUAL: Omit<PlannedIntent, 'name'> = {
  from: 0,
  tokenA: 'USDC',
  tokenB: 'USDC',
  cents: 100_000,
  askedBps: FAIR,
  kind: 'completed',
  naming: 'encrypted',
  recipients: 1,
  namedBps: 10_000,
  asksRefund: true,
  ends: 'completed',
  auctionSeconds: 30,
}

const planned = (name: string, changes: Partial<PlannedIntent>): PlannedIntent => ({
  ...USUAL,
  ...changes,
  name,
})
const tooExpensive = { askedBps: TOO_EXPENSIVE }

/** At least one intent per scenario. */
export const PLANNED_INTENTS: readonly PlannedIntent[] = [
  planned('one recipient', {}),
  planned('odd amounts', { tokenA: 'WETH', tokenB: 'WETH', cents: 1_234_567, recipients: 3 }),
  planned('a swap', { tokenA: 'cBTC', tokenB: 'USDT', cents: 777_777, recipients: 2 }),
  planned('a swap back', { from: 1, tokenA: 'USDT', tokenB: 'WETH', cents: 54_321 }),
  planned('named at creation', { naming: 'blob', recipients: 2 }),
  planned('a surplus', { naming: 'blob', recipients: 3, namedBps: 9_333, cents: 314_159 }),
  planned('a surplus for one', { from: 1, namedBps: 5_000, tokenA: 'WETH', tokenB: 'USDC' }),
  planned('many recipients', { from: 1, recipients: 40, cents: 5_000_000 }),
  planned('named in plaintext', { naming: 'plaintext', recipients: 2 }),
  planned('cancelled at once', { kind: 'cancelledAtOnce', ends: 'cancelled' }),
  planned('cancelled later', {
    ...tooExpensive,
    kind: 'cancelledLater',
    ends: 'cancelled',
    from: 1,
    recipients: 2,
  }),
  planned('never named', { kind: 'unanchored', naming: 'never', ends: 'expired' }),
  planned('too expensive', { ...tooExpensive, kind: 'ignored', ends: 'expired', naming: 'blob' }),
  planned('refunded by anyone', {
    ...tooExpensive,
    kind: 'ignored',
    ends: 'expired',
    asksRefund: false,
  }),
  planned('rescued', { kind: 'rescued', tokenA: 'USDT', tokenB: 'USDT', cents: 222_222 }),
  planned('spoiled', { kind: 'spoiled', ends: 'expired', naming: 'blob' }),
  planned('asked', { ...tooExpensive, kind: 'asked', recipients: 2 }),
  planned('refused', { kind: 'refused', recipients: 2, tokenA: 'USDT' }),
  planned('abandoned', {
    ...tooExpensive,
    kind: 'abandoned',
    ends: 'expired',
    naming: 'plaintext',
  }),
  planned('undelivered', { ...tooExpensive, kind: 'undelivered', ends: 'failed', from: 1 }),
  planned('delivered late', {
    ...tooExpensive,
    kind: 'lateDelivery',
    ends: 'failed',
    naming: 'blob',
  }),
  planned('delivered short', { ...tooExpensive, kind: 'shortDelivery', ends: 'failed' }),
  planned('in the opposite direction', { from: 1, tokenA: 'cBTC', tokenB: 'cBTC', cents: 987_654 }),
]

/** Its terms in base units; every intent has its own recipients. */
export function buildTerms(intent: PlannedIntent, seed: number, id: bigint) {
  const amountA = worth(intent.tokenA, intent.cents)
  const expectedAmountB = (worth(intent.tokenB, intent.cents) * BigInt(intent.askedBps)) / 10_000n
  const reward = amountA / 400n
  const named = (expectedAmountB * BigInt(intent.namedBps)) / 10_000n
  return {
    amountA,
    expectedAmountB,
    reward,
    bundle: drawRandomRecipients(seed, id, intent.recipients, named),
    /** Five percent of the escrow, rounded as the contract does. */
    bond: ((amountA + reward) * 500n) / 10_000n,
    fee: (amountA * 250n) / 10_000n,
  }
}

/** The final bid of a solver with this margin, in base units of tokenB. */
export function calculateOwnPrice(
  intent: PlannedIntent,
  seed: number,
  id: bigint,
  marginBps: number,
): bigint {
  const { amountA, reward, fee } = buildTerms(intent, seed, id)
  const whole = (symbol: TokenSymbol) => 10n ** BigInt(DEVNET_TOKENS[symbol].decimals)
  const cents = (symbol: TokenSymbol) => BigInt(DEVNET_TOKENS[symbol].cents)
  const worthMore = (amountA - fee + reward) * cents(intent.tokenA) * whole(intent.tokenB)
  const kept = BigInt(10_000 - marginBps)
  return (worthMore * kept) / (cents(intent.tokenB) * whole(intent.tokenA) * 10_000n)
}

export function findScenario(intent: PlannedIntent): Scenario {
  return {
    kind: intent.kind,
    auctionSeconds: intent.auctionSeconds,
    recipients: intent.recipients,
    namedBps: intent.namedBps,
    refundAfter: intent.asksRefund ? 0 : 1_000_000,
  }
}

import type { Status } from '../../../core/intent/status.ts'
import type { TokenSymbol } from '../../../devnet/tokens.ts'
import { DEVNET_TOKENS, worth } from '../../../devnet/tokens.ts'
import { recipientsOf } from '../../../devnet/traffic/recipientsOf.ts'
import type { Scenario, ScenarioKind } from '../../../devnet/traffic/scenario.ts'

/** One intent of the test: who offers what, how the recipients are told, and what comes of it. */
export type Story = {
  name: string
  /** Position of the source chain among the two. */
  from: 0 | 1
  tokenA: TokenSymbol
  tokenB: TokenSymbol
  /** Value of what is offered, in cents. */
  cents: number
  /** What is asked for, in basis points of that. */
  askedBps: number
  kind: ScenarioKind
  told: 'blob' | 'encrypted' | 'plaintext' | 'never'
  recipients: number
  /** Basis points of what is asked for that the bundle names; the rest is shared among them. */
  namedBps: number
  /** Whether the sender asks for its refund; else somebody has to do it for it. */
  asksRefund: boolean
  ends: Status
  /** Length of its auction. */
  auctionSeconds: number
}

export const FAIR = 9_700
export const TOO_DEAR = 10_100

export const USUAL: Omit<Story, 'name'> = {
  from: 0,
  tokenA: 'USDC',
  tokenB: 'USDC',
  cents: 100_000,
  askedBps: FAIR,
  kind: 'completed',
  told: 'encrypted',
  recipients: 1,
  namedBps: 10_000,
  asksRefund: true,
  ends: 'completed',
  auctionSeconds: 30,
}

const story = (name: string, changes: Partial<Story>): Story => ({ ...USUAL, ...changes, name })
const dear = { askedBps: TOO_DEAR }

/** Intents of each fate, at least once. */
export const STORIES: readonly Story[] = [
  story('one recipient', {}),
  story('odd amounts', { tokenA: 'WETH', tokenB: 'WETH', cents: 1_234_567, recipients: 3 }),
  story('a swap', { tokenA: 'cBTC', tokenB: 'USDT', cents: 777_777, recipients: 2 }),
  story('a swap back', { from: 1, tokenA: 'USDT', tokenB: 'WETH', cents: 54_321 }),
  story('told at creation', { told: 'blob', recipients: 2 }),
  story('a surplus', { told: 'blob', recipients: 3, namedBps: 9_333, cents: 314_159 }),
  story('a surplus for one', { from: 1, namedBps: 5_000, tokenA: 'WETH', tokenB: 'USDC' }),
  story('many recipients', { from: 1, recipients: 40, cents: 5_000_000 }),
  story('told in the clear', { told: 'plaintext', recipients: 2 }),
  story('cancelled at once', { kind: 'cancelledAtOnce', ends: 'cancelled' }),
  story('cancelled later', {
    ...{ ...dear, kind: 'cancelledLater', ends: 'cancelled', from: 1, recipients: 2 },
  }),
  story('never told', { kind: 'unanchored', told: 'never', ends: 'expired' }),
  story('too dear', { ...dear, kind: 'ignored', ends: 'expired', told: 'blob' }),
  story('refunded by somebody', { ...dear, kind: 'ignored', ends: 'expired', asksRefund: false }),
  story('rescued', { kind: 'rescued', tokenA: 'USDT', tokenB: 'USDT', cents: 222_222 }),
  story('spoiled', { kind: 'spoiled', ends: 'expired', told: 'blob' }),
  story('asked', { ...dear, kind: 'asked', recipients: 2 }),
  story('refused', { kind: 'refused', recipients: 2, tokenA: 'USDT' }),
  story('abandoned', { ...dear, kind: 'abandoned', ends: 'expired', told: 'plaintext' }),
  story('undelivered', { ...dear, kind: 'undelivered', ends: 'failed', from: 1 }),
  story('delivered late', { ...dear, kind: 'lateDelivery', ends: 'failed', told: 'blob' }),
  story('delivered short', { ...dear, kind: 'shortDelivery', ends: 'failed' }),
  story('back the other way', { from: 1, tokenA: 'cBTC', tokenB: 'cBTC', cents: 987_654 }),
]

/** A story's terms in base units; each has recipients of its own. */
export function termsOf(told: Story, seed: number, id: bigint) {
  const amountA = worth(told.tokenA, told.cents)
  const expectedAmountB = (worth(told.tokenB, told.cents) * BigInt(told.askedBps)) / 10_000n
  const reward = amountA / 400n
  const named = (expectedAmountB * BigInt(told.namedBps)) / 10_000n
  return {
    amountA,
    expectedAmountB,
    reward,
    bundle: recipientsOf(seed, id, told.recipients, named),
    /** Five hundredths of what is in escrow, as the contract rounds. */
    bond: ((amountA + reward) * 500n) / 10_000n,
    fee: (amountA * 250n) / 10_000n,
  }
}

/** What a solver with this margin bids at last, in base units of tokenB. */
export function ownPriceOf(told: Story, seed: number, id: bigint, marginBps: number): bigint {
  const { amountA, reward, fee } = termsOf(told, seed, id)
  const whole = (symbol: TokenSymbol) => 10n ** BigInt(DEVNET_TOKENS[symbol].decimals)
  const cents = (symbol: TokenSymbol) => BigInt(DEVNET_TOKENS[symbol].cents)
  const worthMore = (amountA - fee + reward) * cents(told.tokenA) * whole(told.tokenB)
  const kept = BigInt(10_000 - marginBps)
  return (worthMore * kept) / (cents(told.tokenB) * whole(told.tokenA) * 10_000n)
}

export function fateFor(told: Story): Scenario {
  return {
    kind: told.kind,
    auctionSeconds: told.auctionSeconds,
    recipients: told.recipients,
    namedBps: told.namedBps,
    refundAfter: told.asksRefund ? 0 : 1_000_000,
  }
}

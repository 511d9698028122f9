import { bridgeIntentV2Abi } from '../../core/abi/sdkBridgeIntentV2.ts'
import { readBridge } from '../errors/toCairnError.ts'
import type { RelayerIntent } from '../relayer/relayerResponses.ts'
import type { CairnChain } from './clientOptions.ts'

/** The contract's phases of an intent. */
const [OPEN, DEPOSITED, SETTLED, CANCELLED, REFUNDED] = [1, 2, 3, 4, 5]

/** The fields of the contract's intent that a relayer's record also has. */
type Shown = {
  phase: number
  sender: string
  tokenA: string
  tokenB: string
  amountA: bigint
  expectedAmountB: bigint
  reward: bigint
  destChainId: bigint
  endTime: bigint
  /** 0 until anchored. */
  feeBps: number
  /** The best bidder's until somebody deposits, like `amountB`. */
  solver: string
  amountB: bigint
  /** 0 until somebody deposits. */
  fillDeadline: bigint
}

/**
 * Whether the source chain shows what a relayer says of an intent. Unchecked, a relayer could persuade a sender that a payment
 * was made, or must be made again, and a payee that it is another's or larger. True without a client for the chain: only the
 * relayer's word is left.
 *
 * @throws CairnError
 */
export async function isShownByChain(
  intent: RelayerIntent,
  chains: readonly CairnChain[],
): Promise<boolean> {
  const { intentId, status } = intent
  const source = chains.find(({ chainId }) => BigInt(chainId) === intentId >> 64n)
  const client = source?.publicClient
  if (source === undefined || client === undefined) return true
  const bridge = { address: source.bridge, abi: bridgeIntentV2Abi } as const
  const [shown, pickupWindow, { timestamp }] = await readBridge(source, () =>
    Promise.all([
      client.readContract({ ...bridge, functionName: 'getIntent', args: [intentId] }),
      client.readContract({ ...bridge, functionName: 'PICKUP_WINDOW' }),
      client.getBlock(),
    ]),
  )
  if (intent.sourceChainId !== source.chainId || !hasTermsOf(intent, shown)) return false
  const { phase, endTime, fillDeadline, solver } = shown
  switch (status) {
    case 'completed':
      return phase === SETTLED
    case 'cancelled':
      return phase === CANCELLED
    case 'expired': {
      // With a bid, anyone may deposit for two windows after the auction.
      const depositsEnd = /^0x0+$/.test(solver) ? endTime : endTime + 2n * BigInt(pickupWindow)
      return phase === REFUNDED || (phase === OPEN && timestamp >= depositsEnd)
    }
    case 'failed':
      return phase === REFUNDED || (phase === DEPOSITED && timestamp >= fillDeadline)
    default:
      return phase === DEPOSITED || phase === SETTLED
  }
}

/** Whether a record's parties and amounts are the contract's. A null field isn't known yet, so it matches anything. */
function hasTermsOf(intent: RelayerIntent, shown: Shown): boolean {
  const { feeBps, solverAddress, winningAmountB, fillDeadline } = intent
  const hasWinner = shown.fillDeadline > 0n
  return (
    isSame(intent.sender, shown.sender) &&
    isSame(intent.tokenA, shown.tokenA) &&
    isSame(intent.tokenB, shown.tokenB) &&
    intent.amountA === shown.amountA &&
    intent.expectedAmountB === shown.expectedAmountB &&
    intent.reward === shown.reward &&
    BigInt(intent.destChainId) === shown.destChainId &&
    BigInt(intent.endTime) === shown.endTime &&
    (feeBps === null || feeBps === shown.feeBps) &&
    (solverAddress === null || (hasWinner && isSame(solverAddress, shown.solver))) &&
    (winningAmountB === null || (hasWinner && winningAmountB === shown.amountB)) &&
    (fillDeadline === null || BigInt(fillDeadline) === shown.fillDeadline)
  )
}

function isSame(address: string, other: string): boolean {
  return address.toLowerCase() === other.toLowerCase()
}

import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { Settlement } from '../messages.ts'

/** How long an attestation is good for after the source chain's head, in seconds. */
export const ATTESTATION_VALIDITY = 3_600

const TYPES = {
  Settlement: [
    { name: 'intentId', type: 'uint256' },
    { name: 'solver', type: 'address' },
    { name: 'destChainId', type: 'uint256' },
    { name: 'chain2IntentId', type: 'uint256' },
    { name: 'solveTxHash', type: 'bytes32' },
    { name: 'amountB', type: 'uint256' },
    { name: 'feeBps', type: 'uint16' },
    { name: 'deadline', type: 'uint256' },
  ],
} as const

/** What an attester signs (EIP-712): a settlement, for one bridge on one chain. */
export function settlementTypedData(chainId: number, bridge: Hex, message: Settlement) {
  return {
    domain: { name: 'BridgeIntentV2', version: '1', chainId, verifyingContract: bridge },
    types: TYPES,
    primaryType: 'Settlement' as const,
    message,
  }
}

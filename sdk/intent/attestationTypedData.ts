import type { Hex } from 'viem'

/** EIP-712 types of the messages enclaves sign, as in BridgeTypes.sol. */
const ATTESTATION_TYPES = {
  Anchor: [
    { name: 'intentId', type: 'uint256' },
    { name: 'paramsHash', type: 'bytes32' },
    { name: 'blobsHashBefore', type: 'bytes32' },
    { name: 'feeBps', type: 'uint16' },
    { name: 'recipientClass', type: 'uint16' },
    { name: 'blobHash', type: 'bytes32' },
  ],
  Append: [
    { name: 'intentId', type: 'uint256' },
    { name: 'paramsHash', type: 'bytes32' },
    { name: 'blobsHashBefore', type: 'bytes32' },
    { name: 'blobHash', type: 'bytes32' },
  ],
  Reveal: [
    { name: 'intentId', type: 'uint256' },
    { name: 'paramsHash', type: 'bytes32' },
    { name: 'blobsHash', type: 'bytes32' },
    { name: 'solver', type: 'address' },
    { name: 'amountB', type: 'uint256' },
    { name: 'sealedHash', type: 'bytes32' },
  ],
  Settlement: [
    { name: 'intentId', type: 'uint256' },
    { name: 'paramsHash', type: 'bytes32' },
    { name: 'blobsHash', type: 'bytes32' },
    { name: 'solver', type: 'address' },
    { name: 'amountB', type: 'uint256' },
    { name: 'chain2IntentId', type: 'uint256' },
  ],
  NotDelivered: [
    { name: 'intentId', type: 'uint256' },
    { name: 'paramsHash', type: 'bytes32' },
    { name: 'blobsHash', type: 'bytes32' },
    { name: 'solver', type: 'address' },
    { name: 'amountB', type: 'uint256' },
    { name: 'fillDeadline', type: 'uint256' },
  ],
} as const

/** Fields common to an intent's attestations. */
type About = { intentId: bigint; paramsHash: Hex }

/** Fields common to attestations about a winner. */
type AboutWinner = About & {
  blobsHash: Hex
  solver: Hex
  /** The winner's commitment in base units of tokenB. */
  amountB: bigint
}

/** The messages by type. */
export type Attestations = {
  Anchor: About & { blobsHashBefore: Hex; feeBps: number; recipientClass: number; blobHash: Hex }
  Append: About & { blobsHashBefore: Hex; blobHash: Hex }
  Reveal: AboutWinner & { sealedHash: Hex }
  Settlement: AboutWinner & { chain2IntentId: bigint }
  NotDelivered: AboutWinner & { fillDeadline: bigint }
}

export type AttestationKind = keyof Attestations

/** What an enclave signs (EIP-712) for a bridge on a chain; pass it to viem's `signTypedData`. */
export function attestation<Kind extends AttestationKind>(
  { chainId, bridge }: { chainId: number; bridge: Hex },
  primaryType: Kind,
  message: Attestations[Kind],
) {
  return {
    domain: { name: 'BridgeIntentV2', version: '1', chainId, verifyingContract: bridge },
    types: ATTESTATION_TYPES,
    primaryType,
    message,
  } as const
}

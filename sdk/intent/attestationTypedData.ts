import { type Hex, parseAbiParameters } from 'viem'

/** EIP-712 types of the messages enclaves sign, as in BridgeTypes.sol. */
const ATTESTATION_TYPES = {
  Anchor: parseAbiParameters(
    'uint256 intentId, bytes32 paramsHash, bytes32 blobsHashBefore, uint16 feeBps, uint16 recipientClass, bytes32 blobHash',
  ),
  Append: parseAbiParameters(
    'uint256 intentId, bytes32 paramsHash, bytes32 blobsHashBefore, bytes32 blobHash',
  ),
  Reveal: parseAbiParameters(
    'uint256 intentId, bytes32 paramsHash, bytes32 blobsHash, address solver, uint256 amountB, bytes32 sealedHash',
  ),
  Settlement: parseAbiParameters(
    'uint256 intentId, bytes32 paramsHash, bytes32 blobsHash, address solver, uint256 amountB, uint256 chain2IntentId',
  ),
  NotDelivered: parseAbiParameters(
    'uint256 intentId, bytes32 paramsHash, bytes32 blobsHash, address solver, uint256 amountB, uint256 fillDeadline',
  ),
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

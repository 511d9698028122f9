import { encodeAbiParameters, keccak256 } from 'viem'
import type { Hex } from '../../src/event/bridgeEvent.ts'

/** One bundle that a sender names. */
export type Naming = {
  recipients: readonly Hex[]
  /** Base units of tokenB, one per recipient. */
  amounts: readonly bigint[]
  /** 32 random bytes, without which anyone could guess recipients from the hash. */
  salt: Hex
}

const TYPES = [{ type: 'address[]' }, { type: 'uint256[]' }, { type: 'bytes32' }] as const

/** `keccak256(abi.encode(recipients, amounts, salt))`. */
export function hashNaming({ recipients, amounts, salt }: Naming): Hex {
  return keccak256(encodeAbiParameters(TYPES, [recipients, amounts, salt]))
}

/** The facts of an intent that the sender's signature covers. */
type NamingFor = {
  intentId: bigint
  sourceChainId: number
  paramsHash: Hex
  /** Higher than the number of the sender's previous bundle; the creation's own blob has 0. */
  n: number
}

/** What an intent's sender signs (EIP-191) so that its recipients count: `X-Sender-Signature`. */
export function storeRecipientsMessage({
  intentId,
  sourceChainId,
  paramsHash,
  n,
  ...naming
}: NamingFor & Naming): string {
  const hash = hashNaming(naming)
  return `STORE_RECIPIENTS:${intentId}:${sourceChainId}:${paramsHash.toLowerCase()}:${n}:${hash}`
}

import { encodeAbiParameters, type Hex, keccak256 } from 'viem'

/** Whom an intent's sender names, and for which intent. */
export type NamedRecipients = {
  intentId: bigint
  sourceChainId: number
  /** Of the intent's terms; see `paramsHash`. */
  paramsHash: Hex
  /** The sender's own numbering: only a higher one takes another's place. */
  n: number
  recipients: readonly Hex[]
  amounts: readonly bigint[]
  /** 32 bytes, so that nobody can try recipients against the message. */
  salt: Hex
}

/** keccak256 of the recipients, the amounts and a salt, ABI-encoded: all that a message tells of them. */
export function namingHash({
  recipients,
  amounts,
  salt,
}: Pick<NamedRecipients, 'recipients' | 'amounts' | 'salt'>): Hex {
  const types = [{ type: 'address[]' }, { type: 'uint256[]' }, { type: 'bytes32' }] as const
  return keccak256(encodeAbiParameters(types, [recipients, amounts, salt]))
}

/**
 * What an intent's sender signs to name its recipients: `X-Sender-Signature`, and what makes them count
 * whoever puts them on chain.
 */
export function storeRecipientsMessage(named: NamedRecipients): string {
  const { intentId, sourceChainId, paramsHash, n } = named
  return `STORE_RECIPIENTS:${intentId}:${sourceChainId}:${paramsHash.toLowerCase()}:${n}:${namingHash(named)}`
}

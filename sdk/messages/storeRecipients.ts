import type { Hex } from 'viem'
import {
  storeRecipientsMessage as messageOf,
  type Naming,
  namingHash,
} from '../../core/bundle/naming.ts'

/** Whom an intent's sender names, and for which intent. */
export type NamedRecipients = Naming & {
  intentId: bigint
  sourceChainId: number
  /** Of the intent's terms; see `paramsHash`. */
  paramsHash: Hex
  /** The sender's own numbering: only a higher one takes another's place. */
  n: number
}

/**
 * What an intent's sender signs (EIP-191) to name its recipients: `X-Sender-Signature`, and what makes them
 * count whoever puts them on chain.
 */
export function storeRecipientsMessage(named: NamedRecipients): string {
  const { intentId, sourceChainId, paramsHash, n } = named
  return messageOf(intentId, sourceChainId, paramsHash, n, namingHash(named))
}

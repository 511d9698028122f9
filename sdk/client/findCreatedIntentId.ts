import { type Hex, keccak256, type TransactionReceipt } from 'viem'
import type { CairnChain } from './clientOptions.ts'
import { requireEvent } from './requireEvent.ts'

/**
 * The intent's id from the receipt: the contract's latest id may belong to another intent by now.
 *
 * @param blobs keccak256 of the sealed recipients of each attempt
 */
export function findCreatedIntentId(
  receipt: TransactionReceipt,
  chain: Pick<CairnChain, 'bridge'>,
  blobs: readonly Hex[],
): bigint {
  return requireEvent(
    receipt,
    chain,
    ({ eventName, args }) =>
      eventName === 'IntentCreated' && blobs.includes(keccak256(args.encryptedBlob)),
    'create',
  )
}

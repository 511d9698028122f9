import { replacedWallets } from '../../../core/settlement/payments.ts'
import type { OpenedBlob } from '../../enclave/enclaveInterface.ts'
import type { StoredBundle } from '../bundles/stored/storedBundle.ts'
import type { PaidDelivery } from '../recipients/recovery/writeDeliveries.ts'
import type { FoundBlob, IntentBook } from './intentBook.ts'

/** A restored bundle: it is on chain, no longer on its way there. */
export type RecoveredBundle = Omit<StoredBundle, 'ciphertextDigest' | 'isDisputed'>

/** Rows of schema `app` that a part of a chain's history brings back. */
export type RecoveredRows = {
  /** Of anchored intents, in the chain's order; any of an intent's would do, the last is kept. */
  bundles: RecoveredBundle[]
  /** Registered wallets that blobs say are paid at Safes. */
  deliveries: PaidDelivery[]
  problems: (Pick<FoundBlob, 'event' | 'intentId' | 'blockNumber' | 'logIndex'> & {
    reason: string
  })[]
}

export function noRows(): RecoveredRows {
  return { bundles: [], deliveries: [], problems: [] }
}

/** Adds what an opened blob brings back. */
export function addRows(
  rows: RecoveredRows,
  book: IntentBook,
  found: FoundBlob,
  opened: OpenedBlob,
): void {
  if (!opened.ok) {
    if (!found.isRepeated) rows.problems.push({ ...placeOf(found), reason: opened.reason })
    return
  }
  // An unanchored creation's blob is on chain; it only needs its anchor.
  if (found.event === 'IntentCreated' || opened.contents.recipients.length === 0) return
  const { sourceChainId, intentId, paramsHash } = found.expected
  const { n, signature, registered, recipients } = opened.contents
  rows.bundles.push({
    ...{ sourceChainId, intentId: BigInt(intentId), paramsHash, n, sealed: found.blob },
    ...{ isSigned: signature !== undefined, storedAt: found.blockTimestamp },
  })
  const { destChainId: chainId } = book.intents.get(found.intentId)!.terms
  for (const { wallet, index, isContract } of replacedWallets({ recipients }, registered)) {
    rows.deliveries.push({
      ...{ recipientAddress: wallet, contractOn: isContract ? chainId : undefined, chainId, index },
      ...{ intentId: found.intentId, keyId: opened.keyId, createdAt: found.blockTimestamp },
    })
  }
}

/** Where a blob was found. */
export function placeOf({ event, intentId, blockNumber, logIndex }: FoundBlob) {
  return { event, intentId, blockNumber, logIndex }
}

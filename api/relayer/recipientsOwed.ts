import { getAddress, type Hex } from 'viem'
import type { IntentTerms } from '../../services/bundles/intentTerms.ts'
import type { BlobsOnChain } from '../../services/bundles/loadBlobsOnChain.ts'
import { openBlobsOnChain } from '../../services/bundles/openBlobsOnChain.ts'
import type { StoredIntent } from '../../services/store/storedIntent.ts'
import { shareSurplus } from '../../src/money/shareSurplus.ts'
import type { WriteContext } from './writeContext.ts'

/** Whom a winner owes how much: checksummed, decimal text of tokenB's base units. */
export type Owed = {
  recipients: Hex[]
  amounts: string[]
  /** Unix seconds. */
  storedAt: number
}

/**
 * What a winner owes by the blobs on chain, the surplus of its bid shared out. Null when they name nobody
 * whom the enclave would attest a payment to.
 *
 * @throws BundleError `BUNDLE_UNREADABLE`; EnclaveError
 */
export async function recipientsOwed(
  { vault }: WriteContext,
  terms: IntentTerms,
  { source: { winningAmountB } }: StoredIntent,
  chain: BlobsOnChain,
): Promise<Owed | null> {
  const named = await openBlobsOnChain(vault, terms, chain)
  const total = winningAmountB ?? 0n
  if (named === null || sumOf(named.amounts) > total) return null
  return {
    recipients: named.recipients.map((recipient) => getAddress(recipient)),
    amounts: shareSurplus(named.amounts, total).map(String),
    storedAt: named.createdAt,
  }
}

function sumOf(amounts: readonly bigint[]): bigint {
  return amounts.reduce((sum, amount) => sum + amount, 0n)
}

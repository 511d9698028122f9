import { recoverMessageAddress } from 'viem'
import { storeRecipientsMessage } from '../../sdk/messages/storeRecipients.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import { BLOB_KIND } from '../../src/event/foldBlobsHash.ts'
import type { BlobContents } from '../enclave/port.ts'
import { bindingsOf } from './bindingsOf.ts'
import type { BundleVault } from './bundleVault.ts'
import type { IntentTerms } from './intentTerms.ts'
import type { BlobOnChain } from './loadBlobsOnChain.ts'
import { isSamePayment } from './sameBundle.ts'

/** A bundle that the chain holds. */
export type NamedOnChain = {
  contents: BlobContents
  /** Whether it is the sender's word: it came by its own call, or carries its signature. */
  isSenders: boolean
}

/**
 * Whom the chain's blobs name, as a caller is told: by the sender's word the highest `n`, of equals the
 * first; without it the first there is. Null when they name nobody. What is signed is decided by the
 * enclave, from proofs.
 *
 * @throws EnclaveError
 */
export async function namedOnChain(
  { enclave }: Pick<BundleVault, 'enclave'>,
  terms: IntentTerms,
  blobs: readonly BlobOnChain[],
): Promise<NamedOnChain | null> {
  const expected = bindingsOf(terms)
  const found: NamedOnChain[] = []
  for (const { kind, blob } of blobs) {
    if (blob === '0x') continue
    const opened = await enclave.openBlob({ blob, expected })
    if (!opened.ok || opened.contents.recipients.length === 0) continue
    const isSenders = await isSendersWord(terms, kind, opened.contents)
    found.push({ contents: opened.contents, isSenders })
  }
  const senders = found.filter(({ isSenders }) => isSenders)
  const [first, ...others] = senders.length > 0 ? senders : found.slice(0, 1)
  if (!first) return null
  const best = others.reduce(
    (one, other) => (other.contents.n > one.contents.n ? other : one),
    first,
  )
  const more = found.find((one) => addsTo(best, one))
  return more ? { ...more, isSenders: best.isSenders } : best
}

/** Whether it is the same bundle once more, with what became known later. */
function addsTo({ contents: best }: NamedOnChain, { contents: later }: NamedOnChain): boolean {
  const isMore = later.metadata !== undefined && best.metadata === undefined
  return isMore && isSamePayment(best, later)
}

async function isSendersWord(
  { intentId, sourceChainId, paramsHash, user }: IntentTerms,
  kind: number,
  { signature, n, recipients, amounts, salt }: BlobContents,
): Promise<boolean> {
  if (kind === BLOB_KIND.creation || kind === BLOB_KIND.sender) return true
  if (signature === undefined) return false
  const message = storeRecipientsMessage({
    ...{ intentId, sourceChainId, paramsHash, n, recipients, amounts, salt },
  })
  const signer = await recoverMessageAddress({ message, signature }).catch(() => null)
  return (signer?.toLowerCase() as Hex | undefined) === user
}

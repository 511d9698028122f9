import { MAX_RECIPIENTS } from '../../../core/recoveryBlob/blobSize.ts'
import { BUNDLE_INDEX } from '../../../core/settlement/calculatePayments.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { EnclaveError } from '../../enclave/enclaveError.ts'
import type { Enclave } from '../../enclave/enclaveInterface.ts'
import type { Db } from '../../store/database/openDatabase.ts'
import { BundleError } from '../terms/bundleError.ts'
import type { IntentTerms } from '../terms/intentTerms.ts'
import { findEntriesOfIntent } from './entries/findStealthEntries.ts'
import { deleteFalse, insertEntries, type StealthEntry } from './entries/stealthEntryRows.ts'
import {
  findRegistered,
  keepRecipients,
  type Registered,
} from './registration/registeredRecipientStore.ts'

/** Limit on addresses that strangers may request for one recipient in one intent. */
const MOST_STRANGERS = 16

/** Limit on addresses that strangers may request in one intent. */
const MOST_OF_STRANGERS = 64

/** Strangers' deliveries have other indexes than those of the intent's sender; a bundle's are higher. */
const STRANGERS_FROM = 0x40_00

/** One more than the number of callers that can be faster, since each of them then has its address. */
const MOST_ROUNDS = MOST_STRANGERS + 2

/** Why no address is issued. */
type Refusal = 'not_registered' | 'too_many'

/**
 * Issues a stealth address of a recipient in an intent. A caller that proves that it speaks for the intent gets its one
 * address, a stranger a different one, and a bundle's registered wallets yet another. So no answer shows whether the
 * intent pays the recipient, and nobody who guessed can recognise the payment.
 *
 * @param stranger tag of an unproven caller; null for one that speaks for the intent
 */
export async function issueAddress(
  db: Db,
  enclave: Pick<Enclave, 'tagRecipients' | 'deriveStealth'>,
  terms: Pick<IntentTerms, 'intentId' | 'destChainId'>,
  wallet: Hex,
  stranger: Hex | null,
  now: number,
): Promise<StealthEntry | Refusal> {
  const chainId = terms.destChainId
  const recipient = (await findRegistered(db, enclave, chainId, [wallet])).get(wallet)
  if (!recipient) return 'not_registered'
  await keepRecipients(db, recipient.tags)
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const all = await findEntriesOfIntent(db, { intentId: terms.intentId, chainId })
    const own = all.filter(({ tag }) => recipient.tags.includes(tag))
    const known = own.find(({ index, askedBy }) =>
      stranger === null
        ? askedBy === null && index < STRANGERS_FROM
        : askedBy === stranger && index >= STRANGERS_FROM && index < BUNDLE_INDEX,
    )
    if (known) {
      // The caller pays to the address in the answer, so a row isn't trusted. A former root's row stays beside the
      // current root's.
      const derived = await deriveEntry(enclave, terms, recipient, known.index, known.createdAt)
      const entry = { ...derived, askedBy: known.askedBy }
      await deleteFalse(db, [entry])
      await insertEntries(db, [entry])
      return entry
    }
    const strangers = own.filter(({ askedBy }) => askedBy !== null)
    if (stranger !== null && strangers.length >= MOST_STRANGERS) return 'too_many'
    // Strangers don't use up the sender's share.
    const alike = all.filter(
      ({ askedBy, index }) => (askedBy === null) === (stranger === null) && index < BUNDLE_INDEX,
    )
    // Each of the sender's wallets may have an entry under each root.
    const most = stranger === null ? MAX_RECIPIENTS * recipient.tags.length : MOST_OF_STRANGERS
    if (alike.length >= most) return 'too_many'
    const index = freeIndex(own, stranger)
    const entry = await deriveEntry(enclave, terms, recipient, index, now)
    await deleteFalse(db, [entry])
    const isNew = await insertEntries(db, [{ ...entry, askedBy: stranger }])
    if (isNew === 1) return { ...entry, askedBy: stranger }
    // Another caller was faster: read again.
  }
  throw new Error(
    'app.stealth_entry did not keep a row for a delivery: look for triggers on it, and for other programs that write to it',
  )
}

/**
 * Records the addresses that an intent's sender may have got before the root was rotated, so that the wallet can empty
 * their Safes after the database was lost. `issueAddress` records the one under the current root.
 */
export async function restoreFormerAddresses(
  db: Db,
  enclave: Pick<Enclave, 'publicKeys' | 'tagRecipients' | 'deriveStealths'>,
  { intentId, destChainId: chainId }: Pick<IntentTerms, 'intentId' | 'destChainId'>,
  wallet: Hex,
  createdAt: number,
): Promise<void> {
  const { previousKeyIds } = await enclave.publicKeys()
  const recipient = (await findRegistered(db, enclave, chainId, [wallet])).get(wallet)
  if (!recipient || previousKeyIds.length === 0) return
  const { recipientAddress, contractOn } = recipient
  const delivery = { recipientAddress, contractOn, chainId, intentId, index: 0 }
  const { derived } = await enclave.deriveStealths({
    deliveries: previousKeyIds.map((keyId) => ({ ...delivery, keyId })),
  })
  const entries = derived.flatMap((stealth) => {
    if (stealth === null) return []
    const { spendPubKey: _, viewPubKey: __, ...entry } = stealth
    return [{ ...entry, chainId, intentId, index: 0, askedBy: null, createdAt }]
  })
  await deleteFalse(db, entries)
  await insertEntries(db, entries)
}

function freeIndex(own: readonly StealthEntry[], stranger: Hex | null): number {
  const taken = new Set(own.map(({ index }) => index))
  // Random in a range so large that a collision is unlikely.
  let index = stranger === null ? 0 : STRANGERS_FROM + Number(BigInt(stranger) % 0x3f_00n)
  while (taken.has(index)) index += 1
  return index
}

/**
 * Derives a delivery's destination, which is always the same.
 *
 * @throws BundleError `DESTINATION_NOT_FOLLOWED`
 */
export async function deriveEntry(
  enclave: Pick<Enclave, 'deriveStealth'>,
  { destChainId: chainId, intentId }: Pick<IntentTerms, 'destChainId' | 'intentId'>,
  { recipientAddress, contractOn }: Pick<Registered, 'recipientAddress' | 'contractOn'>,
  index: number,
  createdAt: number,
): Promise<StealthEntry> {
  const delivery = { recipientAddress, contractOn, chainId, intentId, index }
  const stealth = await enclave.deriveStealth(delivery).catch((error: unknown) => {
    const isUnknown = error instanceof EnclaveError && error.code === 'CHAIN_NOT_CONFIGURED'
    if (!isUnknown) throw error
    throw new BundleError(
      'DESTINATION_NOT_FOLLOWED',
      `the intent pays on chain ${chainId}, which this relayer doesn't follow, so registered wallets can't be paid there: name an unregistered address, or cancel the intent`,
    )
  })
  const { spendPubKey: _, viewPubKey: __, ...entry } = stealth
  return { ...entry, chainId, intentId, index, askedBy: null, createdAt }
}

import { sql } from 'kysely'
import { DISPUTED } from '../../../core/recipientBundle/decide/decideStore.ts'
import { findBundleOnChain } from '../../../core/recipientBundle/findBundleOnChain.ts'
import { isSameNaming } from '../../../core/recipientBundle/findEffectiveBundle.ts'
import { isSameMetadata } from '../../../core/recipientBundle/isSameBundle.ts'
import { hashNaming } from '../../../core/recipientBundle/storeRecipientsMessage.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { BlobContents } from '../../enclave/enclaveInterface.ts'
import type { Db } from '../../store/database/openDatabase.ts'
import type { IntentKey } from '../../store/intents/storedIntent.ts'
import { BundleError } from '../terms/bundleError.ts'
import type { IntentTerms } from '../terms/intentTerms.ts'
import { loadIndexedBlobs } from '../terms/loadIndexedBlobs.ts'
import { decryptBundleFromChain } from './decryptBundleFromChain.ts'
import {
  type BundleContext,
  findBundle,
  openStoredBundle,
  type StoredBundle,
  sealBundle,
} from './recipientBundleStore.ts'
import { saveBundleRow } from './saveBundleRow.ts'

/** A sender's additions to an intent. Addresses in lower case. */
export type Metadata = { metadata: Record<string, string>; viewers: Hex[] }

const ROUNDS = 5

/**
 * Stores an intent's metadata and viewers, sealed together with its recipients, to be put on chain. They can't be
 * changed: the same again is `already` stored.
 *
 * @param recipientClass as fixed by the anchor; null before it
 * @throws BundleError `ALREADY_STORED` for different metadata, `BUNDLE_INVALID` before the recipients are stored,
 *   `RECIPIENTS_DISPUTED` while two unsigned bundles contradict each other; EnclaveError `METADATA_TOO_LARGE`
 */
export async function storeMetadata(
  context: BundleContext,
  terms: IntentTerms,
  recipientClass: number | null,
  given: Metadata,
): Promise<'stored' | 'already'> {
  for (let round = 1; round <= ROUNDS; round++) {
    const stored = await findBundle(context.db, terms)
    // The sender's signature of metadata doesn't decide between two rival bundles.
    if (stored?.isDisputed) throw new BundleError('RECIPIENTS_DISPUTED', DISPUTED)
    const bundle = await latestBundle(context, terms, recipientClass, stored)
    const known = metadataOf(bundle)
    if (known && !isSameMetadata(known, given)) {
      throw new BundleError('ALREADY_STORED', 'Metadata already stored')
    }
    if (known) return 'already'
    const digest = stored?.ciphertextDigest ?? null
    const sealed = await sealBundle(context, terms, { ...bundle, ...given }, digest)
    if (await saveBundleRow(context.db, sealed, null, stored)) return 'stored'
  }
  throw new Error('the intent’s bundle changed meanwhile: try again')
}

async function latestBundle(
  context: BundleContext,
  terms: IntentTerms,
  recipientClass: number | null,
  stored: StoredBundle | null,
): Promise<BlobContents> {
  const own = stored && (await openStoredBundle(context, terms, stored))
  if (own && metadataOf(own)) return own
  const named = await namedOnChain(context, terms, recipientClass)
  // A row that was recovered from the chain lacks what was appended later. Otherwise, it alone may have the sender's signature.
  if (named && (own === null || (metadataOf(named) && isSameNaming(own, named)))) return named
  if (own) return own
  throw new BundleError('BUNDLE_INVALID', 'store the intent’s recipients first', 'recipients')
}

async function namedOnChain(
  context: BundleContext,
  terms: IntentTerms,
  recipientClass: number | null,
): Promise<BlobContents | null> {
  const blobs = await loadIndexedBlobs(context.db, terms)
  const opened = await decryptBundleFromChain(context, terms, blobs, recipientClass)
  return findBundleOnChain(opened)?.contents ?? null
}

/** Metadata, and the `namingHash` of its bundle. */
type FoundMetadata = Metadata & { namingHash: Hex }

/**
 * An intent's metadata and viewers: the stored ones, or else those on chain; null without any.
 *
 * @param recipientClass as fixed by the anchor; null before it
 * @throws BundleError `BUNDLE_UNREADABLE`; EnclaveError
 */
export async function findMetadata(
  context: BundleContext,
  terms: IntentTerms,
  recipientClass: number | null,
): Promise<FoundMetadata | null> {
  const stored = await findBundle(context.db, terms)
  const own = stored && withNaming(await openStoredBundle(context, terms, stored))
  if (own) return own
  const named = await namedOnChain(context, terms, recipientClass)
  return named && withNaming(named)
}

function withNaming(contents: BlobContents): FoundMetadata | null {
  const found = metadataOf(contents)
  return found && { ...found, namingHash: hashNaming(contents) }
}

/** Null for a bundle without any. */
function metadataOf({ metadata, viewers }: BlobContents): Metadata | null {
  if (metadata === undefined && viewers === undefined) return null
  return { metadata: metadata ?? {}, viewers: viewers ?? [] }
}

/** Who read an intent's private details, and with which request. */
type PrivateRead = { reader: Hex; role: 'sender' | 'viewer'; requestId: string }

/**
 * Records a read of an intent's private details, before they are sent: a reader's first within an hour, since the others tell
 * it nothing new. A program that polled would fill the disk, with a gigabyte a day.
 */
export async function recordPrivateRead(
  db: Db,
  { sourceChainId, intentId }: IntentKey,
  { reader, role, requestId }: PrivateRead,
): Promise<void> {
  const key = sql`${sourceChainId}::bigint, ${String(intentId)}::numeric`
  await sql`
    insert into app.private_read (source_chain_id, intent_id, reader, role, request_id)
    select ${key}, ${reader}, ${role}, ${requestId} where not exists (
      select from app.private_read known where (known.source_chain_id, known.intent_id) = (${key})
        and known.reader = ${reader} and known.role = ${role} and known.read_at > now() - interval '1 hour')`.execute(
    db,
  )
}

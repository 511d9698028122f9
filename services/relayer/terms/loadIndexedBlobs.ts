import { sql } from 'kysely'
import type { BridgeEvent, Hex } from '../../../src/event/bridgeEvent.ts'
import { BLOB_KIND } from '../../../src/event/foldBlobsHash.ts'
import type { Db } from '../../store/database/openDatabase.ts'
import type { IntentKey } from '../../store/intents/storedIntent.ts'

/** A blob of an intent, and what put it on chain: 1 creation, 2 anchor, 3 append, 4 the sender's own call. */
export type BlobOnChain = { kind: number; blob: Hex }

type Row = {
  type: 'IntentCreated' | 'IntentAnchored' | 'BlobAppended'
  kind: string | null
  blob: Hex
}

/**
 * Loads an intent's blobs from the index, in chain order: those from before `firmAt`, which come first, fold to the
 * contract's `blobsHash`. Omits an empty blob of the creation, but not an empty one of the anchor. No signature depends
 * on these rows: callers compare them with the chain's commitment.
 */
export async function loadIndexedBlobs(
  db: Db,
  { sourceChainId, intentId }: IntentKey,
): Promise<BlobOnChain[]> {
  const { rows } = await sql<Row>`
    select type, args ->> 'kind' as kind, args ->> 'encryptedBlob' as blob from cairn.event
    where source_chain_id = ${sourceChainId}::bigint and intent_id = ${String(intentId)}::numeric
      and chain_id = ${sourceChainId}::bigint
      and type in ('IntentCreated', 'IntentAnchored', 'BlobAppended')
    order by block_number, log_index`.execute(db)
  return rows.flatMap(({ type, kind, blob }) => blobOf(type, Number(kind), blob))
}

/** The blob in an event; empty if it has none. */
export function blobOfEvent(event: BridgeEvent): BlobOnChain[] {
  switch (event.type) {
    case 'IntentCreated':
    case 'IntentAnchored':
      return blobOf(event.type, 0, event.args.encryptedBlob)
    case 'BlobAppended':
      return blobOf(event.type, Number(event.args.kind), event.args.encryptedBlob)
    default:
      return []
  }
}

function blobOf(type: Row['type'], kind: number, blob: Hex): BlobOnChain[] {
  if (type === 'IntentCreated') return blob === '0x' ? [] : [{ kind: BLOB_KIND.creation, blob }]
  return [{ kind: type === 'IntentAnchored' ? BLOB_KIND.anchor : kind, blob }]
}

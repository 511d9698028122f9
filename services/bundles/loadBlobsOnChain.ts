import { sql } from 'kysely'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import { BLOB_KIND } from '../../src/event/foldBlobsHash.ts'
import type { Db } from '../store/database.ts'
import type { IntentKey } from '../store/storedIntent.ts'

/** A blob of an intent, and how it came on chain: 1 creation, 2 anchor, 3 append, 4 the sender's own call. */
export type BlobOnChain = { kind: number; blob: Hex }

type Row = {
  type: 'IntentCreated' | 'IntentAnchored' | 'BlobAppended'
  kind: string | null
  blob: Hex
}

/**
 * An intent's blobs of before `firmAt` as the index has them, in the chain's order: those that fold to the
 * contract's `blobsHash`. Without an empty one of the creation, with an empty one of the anchor. Nothing
 * that is signed hangs on these rows: whoever uses them compares them with the chain's commitment.
 */
export async function loadBlobsOnChain(
  db: Db,
  { sourceChainId, intentId }: IntentKey,
): Promise<BlobOnChain[]> {
  const id = String(intentId)
  const { rows } = await sql<Row>`
    select type, args ->> 'kind' as kind, args ->> 'encryptedBlob' as blob from cairn.event e
    where source_chain_id = ${sourceChainId}::bigint and intent_id = ${id}::numeric
      and chain_id = ${sourceChainId}::bigint
      and (type in ('IntentCreated', 'IntentAnchored') or type = 'BlobAppended'
        and block_timestamp < (select i.firm_at from cairn.intent i
          where i.source_chain_id = ${sourceChainId}::bigint and i.intent_id = ${id}::numeric))
    order by block_number, log_index`.execute(db)
  return rows.flatMap(blobOf)
}

function blobOf({ type, kind, blob }: Row): BlobOnChain[] {
  if (type === 'IntentCreated') return blob === '0x' ? [] : [{ kind: BLOB_KIND.creation, blob }]
  if (type === 'IntentAnchored') return [{ kind: BLOB_KIND.anchor, blob }]
  return [{ kind: Number(kind), blob }]
}

import { sql } from 'kysely'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import type { Db } from '../../../store/database/database.ts'
import type { IntentKey } from '../../../store/intents/storedIntent.ts'

/** Who read an intent's private details, and by which request. */
type PrivateRead = { reader: Hex; role: 'sender' | 'viewer'; requestId: string }

/** Records who reads an intent's private details, before they are sent. */
export async function recordPrivateRead(
  db: Db,
  { sourceChainId, intentId }: IntentKey,
  { reader, role, requestId }: PrivateRead,
): Promise<void> {
  await sql`
    insert into app.private_read (source_chain_id, intent_id, reader, role, request_id)
    values (${sourceChainId}::bigint, ${String(intentId)}::numeric, ${reader}, ${role},
      ${requestId})`.execute(db)
}

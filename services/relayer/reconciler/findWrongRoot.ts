import { sql } from 'kysely'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import type { ResponseOf } from '../../enclave/enclaveInterface.ts'
import type { Db } from '../../store/database/openDatabase.ts'
import type { RelayerProblem } from './relayerProblem.ts'

/** How many anchors, and how many creations, are examined, newest first. */
const LATEST = 500

/**
 * Whether none of a chain's anchored intents is sealed to the enclave's keys. A single blob that is shows that the
 * root is right; the others may belong to other relayers on the same bridge.
 */
export async function findWrongRoot(
  db: Db,
  { chainId, name }: Pick<ChainConfig, 'chainId' | 'name'>,
  { keyId, previousKeyIds }: Pick<ResponseOf<'publicKeys'>, 'keyId' | 'previousKeyIds'>,
): Promise<RelayerProblem | null> {
  const { seen, own } = await countBlobs(db, chainId, [keyId, ...previousKeyIds])
  if (seen === 0 || own > 0) return null
  return {
    chainId,
    code: 'WRONG_ROOT',
    cause: `the enclave can open 0 of ${seen} recovery blobs of anchored intents on ${name}: none is sealed to its key`,
    fix: 'start the enclave with the root that they were sealed to (ENCLAVE_ROOT_FILE, or from its shares: npm run enclave -- restore-root); if only other relayers have anchored on this bridge so far, your first anchor clears this problem',
  }
}

/**
 * Counts the blobs of the newest anchors and creations, and those of them sealed to these keys; none before the first anchor.
 * Most creations, or most anchors, may carry no blob: the newest with one aren't searched for, which would read all events.
 */
async function countBlobs(
  db: Db,
  chainId: number,
  keyIds: readonly Hex[],
): Promise<{ seen: number; own: number }> {
  // Literals, as they never change: a statement without parameters is planned once.
  const ids = keyIds.map((keyId) => sql.lit(keyId.slice(2).toLowerCase()))
  const newest = (type: string) => sql`(
    select e.args ->> 'encryptedBlob' as blob from cairn.event e
    where e.chain_id = ${sql.lit(chainId)} and e.type = ${sql.lit(type)}
    order by e.block_timestamp desc limit ${sql.lit(LATEST)})`
  // 0x, the version and the number of blocks precede the key's id.
  const { rows } = await sql<{ seen: number; own: number }>`
    with anchors as (select blob from ${newest('IntentAnchored')} a),
      blobs as (select blob from anchors
        union all select blob from ${newest('IntentCreated')} c where exists (select from anchors))
    select count(*)::integer as seen,
      count(*) filter (where substr(blob, 7, 8) = any(array[${sql.join(ids)}]::text[]))::integer as own
    from blobs where length(blob) > 2`.execute(db)
  return rows[0] ?? { seen: 0, own: 0 }
}

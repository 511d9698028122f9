import { sql } from 'kysely'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import type { ChainConfig } from '../../../config/chains.ts'
import type { ResponseOf } from '../../../enclave/enclaveInterface.ts'
import type { Db } from '../../../store/database/database.ts'
import type { RelayerProblem } from './problem.ts'

/** Blobs of each kind that are examined, the latest first. */
const LATEST = 500

/**
 * Whether a chain's anchored intents are sealed to keys that the enclave doesn't have. One blob of its own
 * shows that the root is right: others may run a relayer on the same bridge.
 */
export async function rootProblem(
  db: Db,
  { chainId, name }: Pick<ChainConfig, 'chainId' | 'name'>,
  { keyId, previousKeyIds }: Pick<ResponseOf<'publicKeys'>, 'keyId' | 'previousKeyIds'>,
): Promise<RelayerProblem | null> {
  const { seen, own } = await countBlobs(db, chainId, [keyId, ...previousKeyIds])
  if (seen === 0 || own > 0) return null
  return {
    ...{ chainId, code: 'WRONG_ROOT' },
    cause: `the enclave can open 0 of ${seen} recovery blobs of anchored intents on ${name}: none is sealed to its key`,
    fix: 'start the enclave with the root that they were sealed to (ENCLAVE_ROOT_FILE, or from its shares: npm run enclave -- restore-root); on a bridge where only other relayers have anchored so far, this ends with your first anchor',
  }
}

/** Blobs of anchors, and of creations that were anchored, and how many of them are sealed to these keys. */
async function countBlobs(
  db: Db,
  chainId: number,
  keyIds: readonly Hex[],
): Promise<{ seen: number; own: number }> {
  const ids = keyIds.map((keyId) => keyId.slice(2).toLowerCase())
  const blobsOf = (type: string) => sql`(
    select e.args ->> 'encryptedBlob' as blob from cairn.event e
    where e.chain_id = ${chainId}::bigint and e.type = ${type}
      and length(e.args ->> 'encryptedBlob') > 2
    order by e.chain_id desc, e.block_number desc, e.log_index desc limit ${LATEST})`
  // 0x, the version and the number of blocks come before the key's id.
  const { rows } = await sql<{ seen: number; own: number }>`
    with anchored as (select exists (select from cairn.intent
        where source_chain_id = ${chainId}::bigint and fee_bps is not null) as "isAny"),
      blobs as (select blob from ${blobsOf('IntentAnchored')} a
        union all select blob from ${blobsOf('IntentCreated')} c)
    select count(*)::integer as seen,
      count(*) filter (where substr(blob, 7, 8) = any(${ids}::text[]))::integer as own
    from blobs, anchored where "isAny"`.execute(db)
  return rows[0] ?? { seen: 0, own: 0 }
}

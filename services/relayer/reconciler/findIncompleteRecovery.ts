import { sql } from 'kysely'
import type { ChainConfig } from '../../config/chainConfig.ts'
import type { Db } from '../../store/database/openDatabase.ts'
import type { RelayerProblem } from './relayerProblem.ts'

/**
 * Whether the last recovery of a chain's bridge lacked intents, or one has begun and not ended: recipients of earlier
 * intents may then be unknown.
 */
export async function findIncompleteRecovery(
  db: Db,
  { chainId, name, bridge }: Pick<ChainConfig, 'chainId' | 'name' | 'bridge'>,
): Promise<RelayerProblem | null> {
  const { rows } = await sql<{ missing: string; isFinished: boolean }>`
    select coalesce(certificate -> 'intents' ->> 'missing', '0') as missing,
      finished_at is not null as "isFinished"
    from app.recovery
    where chain_id = ${sql.lit(chainId)} and bridge = ${sql.lit(bridge.toLowerCase())}`.execute(db)
  const [recovery] = rows
  if (recovery === undefined) return null
  const { missing, isFinished } = recovery
  if (missing !== '0') {
    return {
      chainId,
      code: 'RECOVERY_INCOMPLETE',
      cause: `recovery found no creation of ${missing} intents that the bridge on ${name} has counted: their recipients may be unknown to this database`,
      fix: 'set startBlock in CHAINS to the bridge’s deployment and list a node with the whole history, then restart the reactions, or run npm run recover: either reads everything again',
    }
  }
  if (isFinished) return null
  return {
    chainId,
    code: 'RECOVERY_UNFINISHED',
    cause: `the history of ${name} isn’t recovered yet: recipients of earlier intents may be unknown to this database until it is`,
    fix: 'wait; if the reactions’ log repeats “the chain can’t be recovered yet”, mend what it names',
  }
}

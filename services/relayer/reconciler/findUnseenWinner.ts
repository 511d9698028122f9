import type { PublicClient } from 'viem'
import { PHASES } from '../../../core/proof/storage/intentRecord.ts'
import { readLatestIntents } from '../../chain/readLatestIntents.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import type { Db } from '../../store/database/openDatabase.ts'
import { loadIntents } from '../../store/intents/intentLookup.ts'
import type { RelayerProblem } from './relayerProblem.ts'

/** Seconds after the deadline in which winners are usually paid, or senders refunded. */
const PATIENCE = 900

/**
 * Finds a winner that, by the chain, still waits after its deadline although the index doesn't show it, such as after somebody
 * changed rows: nobody would settle its delivery, and its sender could take a refund as well.
 */
export async function findUnseenWinner(
  db: Db,
  { chainId, name, bridge }: Pick<ChainConfig, 'chainId' | 'name' | 'bridge'>,
  client: Pick<PublicClient, 'readContract' | 'multicall' | 'getBlock'>,
): Promise<RelayerProblem | null> {
  const [{ timestamp }, intents] = await Promise.all([
    client.getBlock(),
    readLatestIntents(client, { chainId, bridge }),
  ])
  const waiting = intents.filter(
    ({ phase, fillDeadline }) =>
      PHASES[phase] === 'deposited' && Number(fillDeadline) + PATIENCE < Number(timestamp),
  )
  const keys = waiting.map(({ intentId }) => ({ sourceChainId: chainId, intentId }))
  const stored = await loadIntents(db, keys)
  const shown = new Map(stored.map(({ source }) => [source.intentId, source]))
  const unseen = waiting.find(({ intentId, solver, fillDeadline }) => {
    const row = shown.get(intentId)
    const isSame = row?.solver === solver.toLowerCase() && row.fillDeadline === Number(fillDeadline)
    return !(isSame && row.phase === 'deposited')
  })
  if (unseen === undefined) return null
  return {
    chainId,
    code: 'WINNER_UNSEEN',
    cause: `on ${name}, intent ${unseen.intentId} waits for its winner’s payment or its sender’s refund, but the index doesn’t show that: somebody may have changed its rows. From 72 hours after the deadline, the winner can lose what it delivered`,
    fix: 'delete the chain’s tables as in docs/operating.md#take-a-chain-out-of-service, and restart the indexer, which reads the chain again',
  }
}

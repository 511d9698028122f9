import { countMissingIntents } from '../../core/intent/countMissingIntents.ts'
import { NoBridgeError, readIntentCount } from '../../services/indexer/history/readIntentCount.ts'
import type { Replay } from './replayChain.ts'

/**
 * What the logs lack of what the bridge's own state shows at the replay's last block: one line each.
 *
 * @throws NoBridgeError when the chain has no bridge at the configured address
 */
export async function findOmissions(replay: Replay): Promise<string[]> {
  const { chain, store } = replay
  const created = await countCreated(replay)
  if (created === 'not deployed yet') return []
  const ids = store.rows('intent').map(({ intentId }) => intentId)
  const missing = countMissingIntents(ids, created)
  const isDeployed = created === null || store.rows('bridge').length > 0
  const lacks = [
    ...(isDeployed ? [] : ['the deployment of the bridge']),
    ...(missing > 0 ? [missing === 1 ? '1 intent' : `${missing} intents`] : []),
  ]
  return lacks.map(
    (what) =>
      `the logs of ${chain.name} lack ${what}: startBlock is too late, or a node omits events`,
  )
}

/** Null when no node has the state of the replay's last block any more. */
async function countCreated({
  chain,
  nodes,
  block,
}: Replay): Promise<bigint | null | 'not deployed yet'> {
  try {
    return await readIntentCount(nodes, chain, block.number)
  } catch (error) {
    if (!(error instanceof NoBridgeError)) throw error
    // Throws unless the bridge is there by now.
    await readIntentCount(nodes, chain, (await nodes.head()).number)
    return 'not deployed yet'
  }
}

import type { PublicClient } from 'viem'
import { PHASES } from '../../../core/proof/storage/intentRecord.ts'
import { createChainClient } from '../../chain/chainClient.ts'
import { isFromOtherContract } from '../../chain/isFromOtherContract.ts'
import { readLatestIntents } from '../../chain/readLatestIntents.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import { ConfigurationError } from '../../config/configurationError.ts'
import { openSingleConnection } from '../../store/database/openSingleConnection.ts'

type Chain = Pick<ChainConfig, 'chainId' | 'name' | 'rpcUrls' | 'bridge'>

/** Seconds after an auction in which somebody may still deposit; more than any bridge's windows. */
const PICKUP_SECONDS = 3_600n

/**
 * Requires that nothing is under way on bridges that the chains file has replaced. Nobody would settle what winners
 * delivered for a former bridge's intents. What they delivered on one, enclaves would look for on its successor, and attest
 * that it isn't there: the sender would have the delivery and its money back.
 *
 * @throws ConfigurationError
 */
export async function requireFormerBridgesEnded(
  databaseUrl: string,
  chains: readonly Chain[],
): Promise<void> {
  const former = await findFormerBridges(databaseUrl, chains)
  if (former.size === 0) return
  const open = (await Promise.all(chains.map((chain) => readOpen(chain, former)))).flat()
  const problems = chains.flatMap(({ chainId, name, bridge }) => {
    const earlier = former.get(chainId)
    const count = open.filter((chainIds) => chainIds.includes(chainId)).length
    if (earlier === undefined || count === 0) return []
    return [
      `CHAINS: the bridge of ${name} is ${bridge}, but ${count} open intents need its former one, ${earlier}: winners deliver there, or are paid there. Name that one until they have ended (docs/operating.md#replace-a-bridge)`,
    ]
  })
  if (problems.length > 0) throw new ConfigurationError(problems)
}

/**
 * The chains that need their former bridges, for each open intent of one chain.
 *
 * @throws ConfigurationError if the chain can't be read
 */
async function readOpen(
  chain: Chain,
  former: ReadonlyMap<number, `0x${string}`>,
): Promise<number[][]> {
  const { chainId } = chain
  const bridge = former.get(chainId)
  const client = createChainClient(chain)
  try {
    // Where this chain's bridge is new as well, its successor's winners deliver on successors.
    const [intents, { timestamp }] = await Promise.all([
      readIntents(client, { chainId, bridge: bridge ?? chain.bridge }),
      client.getBlock(),
    ])
    const waiting = intents.filter((intent) => isWon(intent) || mayBeWon(intent, timestamp))
    return [
      ...(bridge === undefined ? [] : waiting.map(() => [chainId])),
      ...intents.filter(isWon).map(({ destChainId }) => [Number(destChainId)]),
    ]
  } catch (error) {
    const { shortMessage = String(error) } = error as { shortMessage?: string }
    throw new ConfigurationError([
      `CHAINS: a bridge was replaced, and ${chain.name} can’t be read to see whether its intents have ended: ${shortMessage}`,
    ])
  }
}

type Intent = Awaited<ReturnType<typeof readLatestIntents>>[number]

function isWon({ phase }: Intent): boolean {
  return PHASES[phase] === 'deposited'
}

function mayBeWon({ phase, endTime }: Intent, now: bigint): boolean {
  return PHASES[phase] === 'open' && now < endTime + PICKUP_SECONDS
}

/** The bridges that this database was last used with, where the chains file names others. */
async function findFormerBridges(
  databaseUrl: string,
  chains: readonly Chain[],
): Promise<ReadonlyMap<number, `0x${string}`>> {
  const client = await openSingleConnection(databaseUrl, 'cairn_recovery')
  try {
    const { rows } = await client.query(
      `select r.chain_id::text as id, r.bridge
       from unnest($1::bigint[], $2::text[]) as c (id, bridge)
       join app.recovery r on r.chain_id = c.id and r.bridge <> c.bridge`,
      [chains.map(({ chainId }) => chainId), chains.map(({ bridge }) => bridge.toLowerCase())],
    )
    return new Map(rows.map(({ id, bridge }) => [Number(id), bridge]))
  } finally {
    await client.end()
  }
}

/** None if the address has no bridge, such as after a typing error. */
async function readIntents(
  client: Pick<PublicClient, 'readContract' | 'multicall'>,
  bridge: Pick<ChainConfig, 'chainId' | 'bridge'>,
): Promise<Intent[]> {
  return readLatestIntents(client, bridge).catch((error: unknown) => {
    if (!isFromOtherContract(error)) throw error
    return []
  })
}

import { setTimeout } from 'node:timers/promises'
import type { PublicClient } from 'viem'
import { PHASES } from '../../../core/proof/storage/intentRecord.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { createNodeClients } from '../../chain/chainClient.ts'
import { ifFromOtherContract } from '../../chain/ifFromOtherContract.ts'
import { readIntentPages } from '../../chain/readLatestIntents.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import { ConfigurationError } from '../../config/configurationError.ts'
import { openSingleConnection } from '../../store/database/openSingleConnection.ts'

type Chain = Pick<ChainConfig, 'chainId' | 'name' | 'rpcUrls' | 'bridge'>

/** Milliseconds that a node has for each answer, and at least, once another one has shown all, for the rest. */
const TIMEOUT_MS = 10_000

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
  timeoutMs = TIMEOUT_MS,
): Promise<void> {
  const former = await findFormerBridges(databaseUrl, chains)
  if (former.size === 0) return
  const open = (await Promise.all(chains.map((one) => readOpen(one, former, timeoutMs)))).flat()
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
 * The chains that need their former bridges, for each open intent of one chain. A node that lags lacks the latest winners, or
 * the whole bridge: of all that answer, the one that shows the most counts. Once one has shown all, the others have as long
 * again: one may invent intents without end.
 *
 * @throws ConfigurationError if no node can be read
 */
async function readOpen(
  chain: Chain,
  former: ReadonlyMap<number, `0x${string}`>,
  timeoutMs: number,
): Promise<number[][]> {
  const began = performance.now()
  const over = new AbortController()
  const shown: number[][][] = []
  const reads = createNodeClients(chain, timeoutMs).map(async (client) => {
    shown.push(await readOpenAt(client, chain, former.get(chain.chainId), over.signal))
  })
  const ended = Promise.allSettled(reads)
  await Promise.any(reads).catch(({ errors: [reason] }: AggregateError) => {
    const { shortMessage = String(reason) } = reason
    throw new ConfigurationError([
      `CHAINS: a bridge was replaced, and ${chain.name} can’t be read to see whether its intents have ended: ${shortMessage}`,
    ])
  })
  const left = Math.max(timeoutMs, performance.now() - began)
  await Promise.race([ended, setTimeout(left, null, { ref: false })])
  over.abort()
  const [most = []] = shown.toSorted((one, other) => other.length - one.length)
  return most
}

/** @param former the chain's former bridge, if it was replaced */
async function readOpenAt(
  client: ReturnType<typeof createNodeClients>[number],
  { chainId, bridge }: Chain,
  former: `0x${string}` | undefined,
  over: AbortSignal,
): Promise<number[][]> {
  const { timestamp } = await client.getBlock()
  // Where this chain's bridge is new as well, its successor's winners deliver on successors.
  const at = { chainId, bridge: former ?? bridge }
  if (!(await isBridge(client, at.bridge))) return []
  const open: number[][] = []
  for await (const intents of readIntentPages(client, at)) {
    if (over.aborted) break
    const waiting = intents.filter((intent) => isWon(intent) || mayBeWon(intent, timestamp))
    if (former !== undefined) open.push(...waiting.map(() => [chainId]))
    open.push(...intents.filter(isWon).map(({ destChainId }) => [Number(destChainId)]))
  }
  return open
}

/** It isn't one after a typing error, for example. */
function isBridge(client: Pick<PublicClient, 'readContract'>, address: `0x${string}`) {
  return client
    .readContract({ address, abi: bridgeIntentV2Abi, functionName: 'getLatestIntentId' })
    .then(() => true, ifFromOtherContract(false))
}

type Intent = { phase: number; endTime: bigint }

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

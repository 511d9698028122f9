import type { PublicClient } from 'viem'
import { packIntentId, unpackIntentId } from '../../../core/intent/intentId.ts'
import { PHASES } from '../../../core/proof/storage/intentRecord.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { MULTICALL_BYTES } from '../../chain/chainClient.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import type { Db } from '../../store/database/openDatabase.ts'
import { loadIntents } from '../../store/intents/intentLookup.ts'
import type { RelayerProblem } from './relayerProblem.ts'

/** How many of a bridge's intents are compared, newest first. */
const LATEST = 2_000n
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
  const contract = { address: bridge, abi: bridgeIntentV2Abi } as const
  const latestId = await client.readContract({ ...contract, functionName: 'getLatestIntentId' })
  if (latestId === 0n) return null
  const { sequence: last } = unpackIntentId(latestId)
  const count = last < LATEST ? last : LATEST
  const ids = Array.from({ length: Number(count) }, (_, at) =>
    packIntentId(chainId, last - BigInt(at)),
  )
  const { timestamp } = await client.getBlock()
  const intents = await client.multicall({
    allowFailure: false,
    batchSize: MULTICALL_BYTES,
    // A chain of the relayer's needs no Multicall3.
    deployless: true,
    contracts: ids.map((id) => {
      return { ...contract, functionName: 'getIntent', args: [id] } as const
    }),
  })
  const waiting = intents.flatMap(({ phase, fillDeadline, solver }, at) => {
    const isLate = Number(fillDeadline) + PATIENCE < Number(timestamp)
    const waits = PHASES[phase] === 'deposited' && isLate
    return waits ? [{ intentId: ids[at] as bigint, solver, fillDeadline }] : []
  })
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

import { sql } from 'kysely'
import type { PublicClient } from 'viem'
import { packIntentId } from '../../../core/intent/intentId.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import { arrayParameter } from '../../store/database/columnSql.ts'
import type { Db } from '../../store/database/openDatabase.ts'
import type { RelayerProblem } from './relayerProblem.ts'

/** How many of a bridge's intents are compared, newest first. */
const LATEST = 2_000n
/** Seconds after the deadline in which winners are usually paid, or senders refunded. */
const PATIENCE = 900
/** The contract's `Phase`. */
const DEPOSITED = 2
/** An intent's id is `(chainId << 64) | sequence`. */
const SEQUENCE_MASK = (1n << 64n) - 1n
/** Bytes of calldata in one multicall. */
const BATCH_BYTES = 16_384

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
  const last =
    (await client.readContract({ ...contract, functionName: 'getLatestIntentId' })) & SEQUENCE_MASK
  const count = last < LATEST ? last : LATEST
  const ids = Array.from({ length: Number(count) }, (_, at) =>
    packIntentId(chainId, last - BigInt(at)),
  )
  const { timestamp } = await client.getBlock()
  const intents = await client.multicall({
    allowFailure: false,
    batchSize: BATCH_BYTES,
    // A chain of the relayer's needs no Multicall3.
    deployless: true,
    contracts: ids.map((id) => {
      return { ...contract, functionName: 'getIntent', args: [id] } as const
    }),
  })
  const waiting = intents.flatMap(({ phase, fillDeadline, solver }, at) => {
    const waits = phase === DEPOSITED && Number(fillDeadline) + PATIENCE < Number(timestamp)
    return waits ? [{ id: ids[at] as bigint, solver, fillDeadline }] : []
  })
  const seen = await listDeposited(db, chainId, waiting)
  const unseen = waiting.find(({ id }) => !seen.has(id))
  if (unseen === undefined) return null
  return {
    chainId,
    code: 'WINNER_UNSEEN',
    cause: `on ${name}, intent ${unseen.id} waits for its winner’s payment or its sender’s refund, but the index doesn’t show that: somebody may have changed its rows. From 72 hours after the deadline, the winner can lose what it delivered`,
    fix: 'delete the chain’s tables as in docs/operating.md#take-a-chain-out-of-service, and restart the indexer, which reads the chain again',
  }
}

type Waiting = { id: bigint; solver: Hex; fillDeadline: number | bigint }

/** Which of these the index shows as the chain does. */
async function listDeposited(
  db: Db,
  chainId: number,
  waiting: readonly Waiting[],
): Promise<ReadonlySet<bigint>> {
  if (waiting.length === 0) return new Set()
  const column = (of: (one: Waiting) => string) => waiting.map(of)
  const { rows } = await sql<{ id: bigint }>`
    select i.intent_id as id from cairn.intent i
    join unnest(${arrayParameter(
      column(({ id }) => String(id)),
      'numeric',
    )},
      ${arrayParameter(
        column(({ solver }) => solver.toLowerCase()),
        'text',
      )},
      ${arrayParameter(
        column(({ fillDeadline }) => String(fillDeadline)),
        'bigint',
      )})
      as waits (id, solver, deadline)
      on i.intent_id = waits.id and i.solver = waits.solver and i.fill_deadline = waits.deadline
    where i.source_chain_id = ${sql.lit(chainId)} and i.phase = 'deposited'`.execute(db)
  return new Set(rows.map(({ id }) => BigInt(id)))
}

import type pg from 'pg'
import type { Hex } from 'viem'
import type { BridgeEvent } from '../../src/event/bridgeEvent.ts'
import {
  type BridgeChain,
  type BridgePair,
  readBridgeEvents,
} from '../integration/indexer/bridgePair.ts'
import { awaitCaughtUp } from '../integration/indexer/indexerUnderTest.ts'
import { until } from '../rig/until.ts'
import { compareWithReplay } from './compareWithReplay.ts'
import type { ReorgCase, ReorgStep } from './reorgCases.ts'

type ReorgTestbed = { pair: BridgePair; databaseUrl: string; client: pg.Client }

/**
 * Takes an intent up to a step, waits until it is indexed, reorganises the step away to the given depth, and checks
 * that the index equals a replay and that exactly the lost events are recorded as orphans.
 *
 * @throws when they differ
 */
export async function runReorgCase(
  { pair, databaseUrl, client }: ReorgTestbed,
  { step, depth, fate }: ReorgCase,
): Promise<void> {
  const chain = step === 'solve' ? pair.horizen : pair.base
  const act = await prepare(pair, step)
  const from = (await chain.client.getBlockNumber({ cacheTime: 0 })) + 1n
  await act()
  if (depth > 1) await chain.client.mine({ blocks: depth - 1 })
  await indexed(client, chain)
  const before = await readBridgeEvents(chain, from)
  const began = await databaseTime(client)

  if (fate === 'gone') await loseBlocks(chain, depth)
  else await moveTransactions(chain, depth, before)
  await awaitCaughtUp(client, chain)
  const now = new Set((await readBridgeEvents(chain, from)).map(({ point }) => point.blockHash))
  const gone = before.filter(({ point }) => !now.has(point.blockHash))
  if (gone.length === 0) throw new Error('the reorganisation removed no event')
  await until(
    async () => (await orphansSince(client, chain, began)).length >= gone.length,
    `orphans of ${step}`,
  )
  await compareWithReplay(databaseUrl, [chain])
  sameText(await orphansSince(client, chain, began), gone.map(asOrphan))
}

/** Runs everything that must precede a step; returns the step itself. */
async function prepare({ play }: BridgePair, step: ReorgStep): Promise<() => Promise<unknown>> {
  if (step === 'create') return () => play.create()
  const id = await play.create()
  if (step === 'cancel') return () => play.cancel(id)
  if (step === 'anchor') return () => play.anchor(id)
  await play.anchor(id)
  if (step === 'bid') return () => play.bid(id)
  if (step === 'refund expired') {
    await play.endAuction()
    return () => play.refund(id)
  }
  await play.bid(id)
  await play.endAuction()
  if (step === 'deposit') return () => play.deposit(id)
  await play.deposit(id)
  if (step === 'solve') return () => play.deliver(id)
  if (step === 'refund failed') {
    await play.letDeliveryPass()
    return () => play.refund(id)
  }
  const delivered = await play.deliver(id)
  return () => play.settle(id, delivered)
}

/** Replaces the latest blocks with as many empty ones. */
async function loseBlocks({ client }: BridgeChain, depth: number): Promise<void> {
  await client.request({ method: 'anvil_reorg', params: [depth, []] } as never)
}

/** Mines the same transactions again, each one block later. */
async function moveTransactions(
  { client }: BridgeChain,
  depth: number,
  events: BridgeEvent[],
): Promise<void> {
  const hashes = [...new Set(events.map(({ point }) => point.transactionHash))]
  const raw = await Promise.all(hashes.map((hash) => rawTransaction(client, hash)))
  await client.request({ method: 'anvil_rollback', params: [depth] } as never)
  await client.mine({ blocks: 1 })
  for (const serializedTransaction of raw) {
    await client.sendRawTransaction({ serializedTransaction })
  }
  await client.mine({ blocks: depth })
}

function rawTransaction(client: BridgeChain['client'], hash: Hex): Promise<Hex> {
  return client.request({ method: 'eth_getRawTransactionByHash', params: [hash] } as never)
}

/** Resolves when readers see the chain's current head. */
async function indexed(client: pg.Client, { client: node, chainId, name }: BridgeChain) {
  const head = Number(await node.getBlockNumber({ cacheTime: 0 }))
  await until(async () => {
    const { rows } = await client.query(
      'select block_number from cairn.chain_clock where chain_id = $1',
      [chainId],
    )
    return Number(rows[0]?.block_number) === head
  }, `${name} indexed up to its head ${head}`)
}

async function databaseTime(client: pg.Client): Promise<string> {
  const { rows } = await client.query('select clock_timestamp()::text as now')
  return rows[0].now
}

type Orphan = { block: number; log: number; hash: string; type: string; transaction: string }

/** The chain's orphans recorded since a given time. */
async function orphansSince(
  client: pg.Client,
  { chainId }: BridgeChain,
  since: string,
): Promise<Orphan[]> {
  const { rows } = await client.query(
    `select block_number::int as block, log_index as log, block_hash as hash, type,
       transaction_hash as transaction
     from app.orphaned_event
     where chain_id = $1 and orphaned_at between $2 and clock_timestamp() and restored_at is null
       and cause = 'reorg'
     order by 1, 2`,
    [chainId, since],
  )
  return rows
}

function asOrphan({ type, point }: BridgeEvent): Orphan {
  const { blockNumber: block, logIndex: log, blockHash: hash, transactionHash: transaction } = point
  return { block, log, hash, type, transaction }
}

function sameText(found: Orphan[], expected: Orphan[]): void {
  const [a, b] = [found, expected].map((orphans) => JSON.stringify(orphans, null, 1))
  if (a !== b) throw new Error(`recorded orphans:\n${a}\nlost events:\n${b}`)
}

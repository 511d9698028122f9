import { numberToHex } from 'viem'
import { createRangePace } from '../../chain/history/rangePace.ts'
import { crossCheckBlock } from '../../chain/rpcPool/crossCheckBlock.ts'
import type { Provider } from '../../chain/rpcPool/provider.ts'
import { RpcError } from '../../chain/rpcPool/rpcError.ts'
import type { RpcPool } from '../../chain/rpcPool/rpcPool.ts'
import type { FetchContext, FetchedLogs } from './fetchLogs.ts'
import { fetchLogs } from './fetchLogs.ts'
import type { RawBlock, RawLog } from './ponderInternals.ts'

/** The provider of a range was found out; the range must be fetched again without it. */
export class DiscreditedRangeError extends Error {
  override readonly name = 'DiscreditedRangeError'
}

/**
 * Compares a range with what a second provider says: the hash of its last block and all of its logs. Logs in
 * wide ranges are the smaller part of the work, so every range is compared, not a sample. Whoever is wrong is
 * quarantined.
 *
 * @returns whether there was a second provider that answered, to compare with, and isn't found out itself.
 * @throws DiscreditedRangeError when the range's own provider was quarantined.
 */
export async function auditRange(context: FetchContext, fetched: FetchedLogs): Promise<boolean> {
  const { pool } = context
  const others = pool.trusted().filter((one) => one !== fetched.provider && !one.resting)
  if (others.length === 0) return false
  const second = await secondOpinion(context, fetched)
  if (second === null) return false
  const last = second.at(-1) as FetchedLogs
  if (last.end.hash !== fetched.end.hash) await crossCheckBlock(pool, fetched.to, context)
  else await judgeDifference(context, fetched, second)
  if (fetched.provider.quarantine) {
    throw new DiscreditedRangeError(fetched.provider.quarantine.reason)
  }
  return second.every(({ provider }) => !provider.quarantine)
}

/**
 * The range by others than the one who gave it; null when none of them answers now. A range that one provider
 * gave stands by itself: a second one that is away must not keep it waiting.
 */
async function secondOpinion(
  context: FetchContext,
  fetched: FetchedLogs,
): Promise<FetchedLogs[] | null> {
  const giver = new Set([fetched.provider])
  try {
    return await fetchLogs({ ...context, once: true }, fetched, createRangePace(), giver)
  } catch (error) {
    if (error instanceof RpcError) return null
    throw error
  }
}

const identity = ({ blockHash, logIndex, transactionHash, topics, data }: RawLog) =>
  `${blockHash} ${Number(logIndex)} ${transactionHash} ${topics.join()} ${data}`

/**
 * Two providers agree on the chain and not on its logs. The transaction's receipt decides: if the one that
 * lacks a log has it in its own receipt, it left the log out; if not, the other one made it up.
 */
async function judgeDifference(
  context: FetchContext,
  first: FetchedLogs,
  parts: readonly FetchedLogs[],
): Promise<void> {
  const theirs = parts.flatMap((part) => part.logs.map((log) => ({ log, provider: part.provider })))
  const theirIds = new Set(theirs.map(({ log }) => identity(log)))
  const ourIds = new Set(first.logs.map(identity))
  const onlyOurs = first.logs.find((log) => !theirIds.has(identity(log)))
  const onlyTheirs = theirs.find(({ log }) => !ourIds.has(identity(log)))
  if (onlyOurs) await judge(context.pool, onlyOurs, first.provider, parts[0]!.provider)
  else if (onlyTheirs)
    await judge(context.pool, onlyTheirs.log, onlyTheirs.provider, first.provider)
}

async function judge(pool: RpcPool, log: RawLog, giver: Provider, lacker: Provider): Promise<void> {
  const ask = askOnly(pool, lacker)
  let receipt: { logs?: RawLog[] } | null
  let isInvented: boolean
  try {
    receipt = (await ask('eth_getTransactionReceipt', [log.transactionHash])) as typeof receipt
    isInvented = receipt === null && (await lacksTransaction(ask, log))
  } catch (error) {
    // Another range, under way at the same time, has found it out.
    if (lacker.quarantine) return
    throw error
  }
  const proven = receipt?.logs?.some((one) => identity(one) === identity(log))
  const which = `log ${Number(log.logIndex)} of block ${Number(log.blockNumber)}`
  if (proven || (receipt === null && !isInvented)) {
    lacker.setQuarantine('logs', `eth_getLogs leaves out ${which}, which ${giver.name} has`)
  } else {
    const where = isInvented
      ? 'whose transaction is not in the block'
      : 'which is not in the receipt'
    giver.setQuarantine('logs', `eth_getLogs gives ${which}, ${where} that ${lacker.name} has`)
  }
}

type Ask = (method: string, params: readonly unknown[]) => Promise<unknown>

function askOnly(pool: RpcPool, provider: Provider): Ask {
  const exclude = new Set(pool.providers.filter((one) => one !== provider))
  return (method, params) => pool.request(method, params, { exclude, patienceMs: 30_000 })
}

/**
 * Whether a node without a log's receipt has its block without the transaction. Otherwise a provider that invents
 * a transaction could convict every honest node.
 */
async function lacksTransaction(ask: Ask, log: RawLog): Promise<boolean> {
  const params = [numberToHex(Number(log.blockNumber)), false]
  const block = (await ask('eth_getBlockByNumber', params)) as RawBlock | null
  if (!block || block.hash !== log.blockHash) return false
  return !(block.transactions as unknown[]).includes(log.transactionHash)
}

import { createRangePace } from '../../chain/history/rangePace.ts'
import { rawLogSchema } from '../../chain/history/rawAnswers.ts'
import { type GivenLogs, judgeLogs } from '../../chain/proof/judgeLogs.ts'
import { crossCheckBlock } from '../../chain/rpcPool/crossCheckBlock.ts'
import { RpcError } from '../../chain/rpcPool/rpcError.ts'
import type { BlockRange } from './blockRange.ts'
import type { FetchContext, FetchedLogs } from './fetchLogs.ts'
import { fetchLogs } from './fetchLogs.ts'
import type { RawLog } from './ponderInternals.ts'

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
  return isSame(fetched, second) && second.every(({ provider }) => !provider.quarantine)
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

/** Where two providers agree on the chain and not on its logs, the block's receipts decide who is wrong. */
async function judgeDifference(
  { pool }: FetchContext,
  first: FetchedLogs,
  parts: readonly FetchedLogs[],
): Promise<void> {
  const differing = parts.find((part) => !isSame(within(first, part), [part]))
  if (differing === undefined) return
  await judgeLogs(pool, parsed(within(first, differing)), parsed(differing), first.to)
}

type Given = Pick<FetchedLogs, 'logs' | 'provider'>

function within({ logs, provider }: FetchedLogs, { from, to }: BlockRange): Given {
  const inRange = logs.filter(({ blockNumber }) => {
    const number = Number(blockNumber)
    return from <= number && number <= to
  })
  return { logs: inRange, provider }
}

function parsed({ logs, provider }: Given): GivenLogs {
  return { logs: rawLogSchema.array().parse(logs), provider }
}

function isSame(first: Given, parts: readonly Given[]): boolean {
  const theirs = new Set(parts.flatMap(({ logs }) => logs.map(identity)))
  return theirs.size === first.logs.length && first.logs.every((log) => theirs.has(identity(log)))
}

import { type BridgeOnChain, decodeLogs, type EventPart } from '../../chain/history/fetchEvents.ts'
import {
  ChangedDuringReadError,
  DiscreditedReadError,
  NodesDisagreeError,
  UnusableAnswerError,
} from '../../chain/history/historyErrors.ts'
import type { BlockRange } from '../../chain/history/readLogs.ts'
import { TIMEOUT_MS } from '../../chain/history/requestInBatches.ts'
import type { Header } from '../../chain/history/rpcSchemas.ts'
import { hasVerifiableHeaders } from '../../chain/rpcPool/hasVerifiableHeaders.ts'
import { RpcError } from '../../chain/rpcPool/rpcError.ts'
import { InconsistentRangeError } from './checkRangeConsistency.ts'
import type { ComparedNodes } from './comparedNodes.ts'
import type { CheckedRange } from './fetchCheckedRange.ts'
import { fetchHistory } from './fetchHistory.ts'
import { contractsFilter } from './historySource.ts'

/** Milliseconds to wait for nodes that could show whether headers are verifiable. */
const HEADERS_TIMEOUT_MS = 10_000

/**
 * Fetches the events of bridge and vault in a block range, in chain order, as the indexer does: with several nodes, each
 * range is compared log by log, and a node that is proven or voted wrong isn't used any more.
 *
 * @param last a block on which the nodes agree, at the range's end or above it
 * @throws ChangedDuringReadError on a reorg during the read, or when blocks had been read from a wrong node alone;
 *   NodesDisagreeError when nothing shows who is wrong; InconsistentRangeError, RpcError, UnusableAnswerError
 */
export async function* fetchComparedEvents(
  nodes: ComparedNodes,
  chain: BridgeOnChain,
  range: BlockRange,
  last: Header,
): AsyncGenerator<EventPart> {
  const { pool } = nodes
  const totalTimeoutMs = TIMEOUT_MS
  const source = {
    pool,
    filter: contractsFilter(chain),
    signal: undefined,
    totalTimeoutMs,
    suggestedRangeWidth: () => undefined,
    hasVerifiableHeaders: await hasVerifiableHeaders(pool, last.number, {
      totalTimeoutMs: HEADERS_TIMEOUT_MS,
      refusesTie: true,
    }),
    agreedBlock: last.number,
  }
  try {
    for await (const part of fetchHistory(source, range, 0)) {
      nodes.noteUnconfirmed(part, part.soleProviders)
      yield { to: part.to, events: eventsOf(chain, part) }
    }
  } catch (error) {
    if (pool.trusted().length === 0) throw noneLeft(nodes, chain, error)
    if (await wasReplaced(nodes, last, error)) throw replaced(chain, last.number, error)
    const isAnswer = error instanceof RpcError && error.failure !== 'unreachable'
    throw isAnswer ? unread(nodes, chain, error) : error
  }
  if (nodes.isDiscredited()) {
    const [first] = nodes.report().refused
    throw new DiscreditedReadError(
      `blocks of ${chain.name} were read from ${first?.node} alone, which was wrong elsewhere: ${first?.reason}`,
    )
  }
}

function noneLeft(nodes: ComparedNodes, { name }: BridgeOnChain, cause: unknown) {
  const reasons = nodes.report().refused.map(({ node, reason }) => `${node}: ${reason}`)
  return new UnusableAnswerError(
    `no node of ${name} can be believed (${reasons.join('; ')}): name another one in rpcUrls`,
    { cause },
  )
}

/** A node's own words name neither the chain nor the node. */
function unread(nodes: ComparedNodes, { name }: BridgeOnChain, cause: RpcError) {
  const hosts = nodes.report().nodes.join(', ')
  return new UnusableAnswerError(
    `the history of ${name} can’t be read from ${hosts}: ${cause.message}. Name a node in rpcUrls that has the whole history`,
    { cause },
  )
}

function eventsOf(chain: BridgeOnChain, { logs, blocks, transactions }: CheckedRange) {
  return decodeLogs(chain, logs, {
    headers: new Map(blocks.map((block) => [block.number, block])),
    transactions: new Map(transactions.map((transaction) => [transaction.hash, transaction])),
  })
}

/** Whether a reorg explains why the answers contradict each other. */
async function wasReplaced(nodes: ComparedNodes, last: Header, error: unknown): Promise<boolean> {
  const mayBeReorg =
    error instanceof InconsistentRangeError ||
    error instanceof NodesDisagreeError ||
    (error instanceof RpcError && error.failure === 'behind')
  if (!mayBeReorg) return false
  const now = await nodes.header(last.number).catch(() => null)
  return now?.hash !== last.hash
}

function replaced({ name }: BridgeOnChain, block: number, cause: unknown): ChangedDuringReadError {
  return new ChangedDuringReadError(`block ${block} of ${name} was replaced during the read`, {
    cause,
  })
}

import { numberToHex } from 'viem'
import { z } from 'zod'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { RpcAnswer, RpcRequest } from '../rpcPool/provider.ts'
import { RpcError } from '../rpcPool/rpcError.ts'
import { headerIn, headerRequest } from './headerRequest.ts'
import { BlockRefusedError, MovedError } from './historyError.ts'
import { createRangePace, type RangePace } from './rangePace.ts'
import { type ChainLog, checked, type Header, rawLogSchema } from './rpcSchemas.ts'

/** Sends requests in one exchange with one node; `provider` says which. */
export type SendRequests<Source = unknown> = (
  requests: readonly RpcRequest[],
) => Promise<{ answers: RpcAnswer[]; provider: Source }>

/** Logs of these contracts, or of any, with these topics. Lower case. */
export type LogFilter = {
  address?: Hex | readonly Hex[] | undefined
  topics?: readonly (Hex | readonly Hex[] | null)[] | undefined
}

/** Block numbers, both included. */
export type BlockRange = { from: number; to: number }

export type LogQuestion = BlockRange & {
  /**
   * A log counts if one of them matches. More than a node accepts at once go into `groups` instead.
   */
  filters?: readonly LogFilter[]
  /** Filters that are asked for in an exchange each, all about the same blocks. */
  groups?: readonly (readonly LogFilter[])[]
  /** Which blocks come first. Default: the oldest. */
  order?: 'ascending' | 'descending'
  /** How many blocks to ask about at once; may be shared by readings of the same kind. */
  pace?: RangePace
  /** Blocks whose headers are requested with a range, from the same node in the same exchange. */
  beside?: (range: BlockRange) => readonly number[]
  /** The width that a refusal names, if it does. Default: half of what was refused is tried. */
  allowedWidth?: (refusal: RpcError, range: BlockRange) => number | undefined
  /** What to ask of a single block whose logs are refused. Default: the refusal is thrown. */
  fewer?: (filters: readonly LogFilter[]) => readonly LogFilter[]
  /** Ends the reading before the next range. */
  isOver?: () => boolean
  /** The chain's name, for messages. */
  chain?: string
}

/** The logs of a range, in the chain's order, all by one node for each group of filters. */
export type LogPart<Source = unknown> = BlockRange & {
  logs: ChainLog[]
  /** The range's last block, from the provider of the logs. */
  end: Header
  /** The blocks requested with it, null where the node has none. */
  beside: (Header | null)[]
  /** The provider of the first group's logs. */
  provider: Source
}

/**
 * The logs of a range of blocks, part by part, in ranges as wide as the node allows and the density of logs makes
 * sensible. Ask again with another node's `ask` to compare.
 *
 * @throws BlockRefusedError when the logs of a single block are refused; MovedError when groups are of different
 *   forks; RpcError `behind` when the node lacks a range's last block
 */
export async function* readLogs<Source>(
  ask: SendRequests<Source>,
  question: LogQuestion,
): AsyncGenerator<LogPart<Source>> {
  const { pace = createRangePace({ first: 2_000 }), isOver = () => false } = question
  let left: BlockRange = { from: question.from, to: question.to }
  while (left.from <= left.to && !isOver()) {
    const range = nextRange(left, pace.width(), question.order)
    const part = await readRange(ask, question, range, pace)
    if (part === null) continue
    pace.learn({ blocks: blocksIn(range), logs: part.logs.length })
    left =
      question.order === 'descending'
        ? { ...left, to: range.from - 1 }
        : { ...left, from: range.to + 1 }
    yield part
  }
}

/** All of them at once, in the chain's order. */
export async function readAllLogs(ask: SendRequests, question: LogQuestion): Promise<ChainLog[]> {
  const logs: ChainLog[] = []
  for await (const part of readLogs(ask, question)) logs.push(...part.logs)
  return logs
}

function nextRange({ from, to }: BlockRange, width: number, order?: string): BlockRange {
  return order === 'descending'
    ? { from: Math.max(from, to - width + 1), to }
    : { from, to: Math.min(from + width - 1, to) }
}

function blocksIn({ from, to }: BlockRange): number {
  return to - from + 1
}

/** Null when it was too much for the node; `pace` has then become narrower. */
async function readRange<Source>(
  ask: SendRequests<Source>,
  question: LogQuestion,
  range: BlockRange,
  pace: RangePace,
): Promise<LogPart<Source> | null> {
  const { groups = [question.filters ?? []], fewer } = question
  let whole: LogPart<Source> | null = null
  for (const filters of groups) {
    let part = await askRange(ask, question, range, filters)
    if (part instanceof RpcError && range.from < range.to) {
      narrow(pace, part, range, question)
      return null
    }
    if (part instanceof RpcError && fewer) {
      part = await askRange(ask, question, range, fewer(filters))
      // This block was too full; the width was not the problem.
      if (!(part instanceof RpcError)) pace.forget()
    }
    if (part instanceof RpcError) throw new BlockRefusedError(range.to, part, question.chain)
    if (whole !== null && whole.end.hash !== part.end.hash)
      throw new MovedError(`block ${range.to} was replaced while it was read`)
    if (whole === null) whole = part
    else whole.logs.push(...part.logs)
  }
  whole?.logs.sort(inChainOrder)
  return whole
}

function narrow(
  pace: RangePace,
  refusal: RpcError,
  range: BlockRange,
  { allowedWidth }: LogQuestion,
): void {
  if (refusal.failure === 'oversized') pace.halve(blocksIn(range))
  else pace.narrow(blocksIn(range), allowedWidth?.(refusal, range))
}

/**
 * A refusal is returned. The header of the range's last block comes with the logs: a node that lacks that
 * block would silently leave its logs out.
 */
async function askRange<Source>(
  ask: SendRequests<Source>,
  { beside = () => [] }: LogQuestion,
  range: BlockRange,
  filters: readonly LogFilter[],
): Promise<LogPart<Source> | RpcError> {
  const others = beside(range)
  const headers = [range.to, ...others].map(headerRequest)
  const asked = await orRefusal(ask([...headers, ...filters.map((one) => logRequest(one, range))]))
  if (asked instanceof RpcError) return asked
  const { answers, provider } = asked
  const given = answers.slice(headers.length)
  const refused = given.find((answer) => 'error' in answer)
  if (refused && 'error' in refused) return orThrow(refused.error)
  const [end = null, ...known] = answers.slice(0, headers.length).map(headerIn)
  if (end === null) throw new RpcError('behind', `the node lacks block ${range.to}`)
  return { ...range, logs: given.flatMap(logsIn), end, beside: known, provider }
}

/** A node's answer to too large a question; anything else is thrown. */
function orThrow(error: unknown): RpcError {
  const isTooMuch =
    error instanceof RpcError && (error.failure === 'refused' || error.failure === 'oversized')
  if (isTooMuch) return error
  throw error
}

function orRefusal<Answered>(asked: Promise<Answered>): Promise<Answered | RpcError> {
  return asked.catch(orThrow)
}

function logRequest({ address, topics }: LogFilter, { from, to }: BlockRange): RpcRequest {
  const range = { fromBlock: numberToHex(from), toBlock: numberToHex(to) }
  const filter = { ...(address && { address }), ...(topics && { topics }), ...range }
  return { method: 'eth_getLogs', params: [filter] }
}

function logsIn(answer: RpcAnswer): ChainLog[] {
  return 'result' in answer ? checked(z.array(rawLogSchema), answer.result, 'eth_getLogs') : []
}

function inChainOrder(a: ChainLog, b: ChainLog): number {
  return a.blockNumber - b.blockNumber || a.logIndex - b.logIndex
}

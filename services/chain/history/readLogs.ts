import { numberToHex } from 'viem'
import { listOf } from '../../../core/validation/listOf.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { RpcAnswer, RpcRequest } from '../rpcPool/provider.ts'
import { RpcError } from '../rpcPool/rpcError.ts'
import { createBlockHeaderRequest, parseHeader } from './blockHeaderRequest.ts'
import { BlockRefusedError, ChangedDuringReadError } from './historyErrors.ts'
import { createRangeSizer, type RangeSizer } from './rangeSizer.ts'
import { type ChainLog, type Header, parseAnswer, rawLogSchema } from './rpcSchemas.ts'

/** Sends requests to one node in one exchange; `provider` identifies the node. */
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

export type LogQuery = BlockRange & {
  /** Logs that match any of these. If a node doesn't accept that many at once, use `groups`. */
  filters?: readonly LogFilter[]
  /** Filters in groups; each group is one exchange over the same blocks. */
  groups?: readonly (readonly LogFilter[])[]
  /** Which blocks come first. Default: the oldest. */
  order?: 'ascending' | 'descending'
  /** May be shared by reads of the same kind. */
  sizer?: RangeSizer
  /** Block headers to request from the same node in the same exchange as a range. */
  extraHeaders?: (range: BlockRange) => readonly number[]
  /** The range width suggested by a refusal, if any. Default: half of the refused range is tried. */
  suggestedWidth?: (refusal: RpcError, range: BlockRange) => number | undefined
  /**
   * Filters to fall back to for a single block whose logs are refused, and for a node that requires an address. Default: the
   * refusal is thrown.
   */
  fallbackFilters?: (filters: readonly LogFilter[]) => readonly LogFilter[]
  /** Checked before each range: true ends the read. */
  isDone?: () => boolean
  /** The chain's name, for messages. */
  chain?: string
}

/** The logs of a range in chain order. One node answered for each group of filters. */
export type LogPart<Source = unknown> = BlockRange & {
  logs: ChainLog[]
  /** Header of the range's last block, from the provider of the logs. */
  end: Header
  /** Headers requested through `extraHeaders`; null where the node lacks the block. */
  extraHeaders: (Header | null)[]
  /** The provider of the first group's logs. */
  provider: Source
}

/**
 * Reads the logs of a block range, part by part. Parts are as wide as the node allows and the log density suggests.
 *
 * @throws BlockRefusedError when the logs of a single block are refused; ChangedDuringReadError when groups come from
 *   different forks; RpcError `behind` when the node lacks a range's last block
 */
export async function* readLogs<Source>(
  send: SendRequests<Source>,
  query: LogQuery,
): AsyncGenerator<LogPart<Source>> {
  const { sizer = createRangeSizer({ first: 2_000 }), isDone = () => false } = query
  let left: BlockRange = { from: query.from, to: query.to }
  while (left.from <= left.to && !isDone()) {
    const range = nextRange(left, sizer.width(), query.order)
    const part = await readRange(send, query, range, sizer)
    if (part === null) continue
    sizer.recordAnswer({ blocks: countBlocks(range), logs: part.logs.length })
    left =
      query.order === 'descending'
        ? { ...left, to: range.from - 1 }
        : { ...left, from: range.to + 1 }
    yield part
  }
}

/** Collects all logs of a query, in chain order. */
export async function readAllLogs(send: SendRequests, query: LogQuery): Promise<ChainLog[]> {
  const logs: ChainLog[] = []
  for await (const part of readLogs(send, query)) logs.push(...part.logs)
  return logs
}

function nextRange({ from, to }: BlockRange, width: number, order?: string): BlockRange {
  return order === 'descending'
    ? { from: Math.max(from, to - width + 1), to }
    : { from, to: Math.min(from + width - 1, to) }
}

function countBlocks({ from, to }: BlockRange): number {
  return to - from + 1
}

/** Returns null if the range was too much for the node, after narrowing `sizer`. */
async function readRange<Source>(
  send: SendRequests<Source>,
  query: LogQuery,
  range: BlockRange,
  sizer: RangeSizer,
): Promise<LogPart<Source> | null> {
  const { groups = [query.filters ?? []], fallbackFilters } = query
  let whole: LogPart<Source> | null = null
  for (const filters of groups) {
    let part = await requestRange(send, query, range, filters)
    if (part instanceof RpcError && fallbackFilters && wantsAddress(part, filters, range))
      part = await requestRange(send, query, range, fallbackFilters(filters))
    if (part instanceof RpcError && range.from < range.to) {
      narrow(sizer, part, range, query)
      return null
    }
    if (part instanceof RpcError && fallbackFilters) {
      part = await requestRange(send, query, range, fallbackFilters(filters))
      if (!(part instanceof RpcError)) sizer.reset()
    }
    if (part instanceof RpcError) throw new BlockRefusedError(range.to, part, query.chain)
    if (whole !== null && whole.end.hash !== part.end.hash)
      throw new ChangedDuringReadError(`block ${range.to} was replaced during the read`)
    if (whole === null) whole = part
    else whole.logs.push(...part.logs)
  }
  whole?.logs.sort(byChainOrder)
  return whole
}

/** Hosts that limit ranges serve the logs of all contracts for as many blocks. */
const FEW_BLOCKS = 100

/** Whether a host serves only logs of stated contracts, however few the blocks. */
function wantsAddress(
  { message }: RpcError,
  filters: readonly LogFilter[],
  range: BlockRange,
): boolean {
  const isSaid = /\b(specify|provide|requires?|required|missing)\b/i.test(message)
  // Asking for fewer blocks may do as well, and leaves no contract out.
  const isAboutRange = /\b(ranges?|blocks)\b/i.test(message) && countBlocks(range) > FEW_BLOCKS
  return (
    isSaid &&
    !isAboutRange &&
    /address/i.test(message) &&
    filters.every((filter) => !filter.address)
  )
}

function narrow(
  sizer: RangeSizer,
  refusal: RpcError,
  range: BlockRange,
  { suggestedWidth }: LogQuery,
): void {
  if (refusal.failure === 'oversized') sizer.recordOversized(countBlocks(range))
  else sizer.recordRefusal(countBlocks(range), suggestedWidth?.(refusal, range))
}

/**
 * Requests one range and returns the logs, or the refusal. The header of the last block comes along because a node that
 * lacks the block would silently omit its logs.
 */
async function requestRange<Source>(
  send: SendRequests<Source>,
  { extraHeaders = () => [] }: LogQuery,
  range: BlockRange,
  filters: readonly LogFilter[],
): Promise<LogPart<Source> | RpcError> {
  const headers = [range.to, ...extraHeaders(range)].map(createBlockHeaderRequest)
  const requests = [...headers, ...filters.map((filter) => logRequest(filter, range))]
  const sent = await send(requests).catch(asRefusal)
  if (sent instanceof RpcError) return sent
  const { answers, provider } = sent
  const logAnswers = answers.slice(headers.length)
  const failed = logAnswers.find((answer) => 'error' in answer)
  if (failed && 'error' in failed) return asRefusal(failed.error)
  const [end = null, ...extra] = answers.slice(0, headers.length).map(parseHeader)
  if (end === null) throw new RpcError('behind', `the node lacks block ${range.to}`)
  const logs = logAnswers.flatMap((answer, at) =>
    parseLogs(answer).filter(isRequested(filters[at] ?? {}, range)),
  )
  return { ...range, logs, end, extraHeaders: extra, provider }
}

/** Returns the error if it means that the request asked for too much; throws any other. */
function asRefusal(error: unknown): RpcError {
  const isTooMuch =
    error instanceof RpcError && (error.failure === 'refused' || error.failure === 'oversized')
  if (isTooMuch) return error
  throw error
}

function logRequest({ address, topics }: LogFilter, { from, to }: BlockRange): RpcRequest {
  const range = { fromBlock: numberToHex(from), toBlock: numberToHex(to) }
  const filter = { ...(address && { address }), ...(topics && { topics }), ...range }
  return { method: 'eth_getLogs', params: [filter] }
}

function parseLogs(answer: RpcAnswer): ChainLog[] {
  return 'result' in answer ? parseAnswer(listOf(rawLogSchema), answer.result, 'eth_getLogs') : []
}

/**
 * Whether a log was requested. A node may add others, even real ones: as events of the bridge they would be false, and
 * receipts would convict the providers that rightly lack them.
 */
function isRequested(
  { address, topics = [] }: LogFilter,
  { from, to }: BlockRange,
): (log: ChainLog) => boolean {
  const addresses = address === undefined ? null : lowerCase(address)
  const wanted = topics.map((topic) => (topic === null ? null : lowerCase(topic)))
  return (log) =>
    from <= log.blockNumber &&
    log.blockNumber <= to &&
    (addresses === null || addresses.has(log.address)) &&
    wanted.every((some, at) => some === null || some.has(log.topics[at] ?? ''))
}

function lowerCase(values: Hex | readonly Hex[]): ReadonlySet<string> {
  return new Set([values].flat().map((value) => value.toLowerCase()))
}

export function byChainOrder(a: ChainLog, b: ChainLog): number {
  return a.blockNumber - b.blockNumber || a.logIndex - b.logIndex
}

import {
  BaseError,
  createTransport,
  HttpRequestError,
  RpcRequestError,
  TimeoutError,
  type Transport,
} from 'viem'
import { getHttpRpcClient } from 'viem/utils'
import { AnswerTooLongError, fetchWithBody } from './httpTransport.ts'
import { createBatchPace } from './rpcPool/batchPace.ts'
import { classifyRpcError, refusesBatch } from './rpcPool/rpcError.ts'

/** Requests per batch: nearly all providers accept this many. */
const BATCH_SIZE = 50

/** Milliseconds to collect requests for a batch. */
const BATCH_WAIT_MS = 1

/** HTTP statuses with which servers refuse a batch. */
const BATCH_REFUSED = new Set([400, 403, 404, 405, 406, 413, 415, 422, 500, 501])

/** Milliseconds for which a node that refused a batch gets single requests: it may have been about something else. */
const SINGLE_FOR_MS = 600_000

/** Run contracts, perhaps a stranger's, which takes long: nodes work through a batch one by one. */
const CALLS = new Set(['eth_call', 'eth_estimateGas'])

type Body = { method: string; params?: unknown }

type Answer = { result?: unknown; error?: { code: number; message: string } }

type Waiting = {
  body: Body
  resolve: (answer: Answer) => void
  reject: (error: unknown) => void
}

/**
 * An HTTP transport that batches concurrent requests, because round trips dominate far from a node. A node that refuses
 * a batch, or doesn't answer each of its requests once, gets single requests. Unlike viem's batches, each transport has
 * its own, and answers belong to requests by their ids: one that a node leaves out must not shift the others.
 *
 * @param options `chainId`: answers of a node that serves another chain are refused, since contracts have the same addresses
 *   on every chain
 */
export function createBatchedHttpTransport(
  url: string,
  { timeout, retryCount, chainId }: { timeout: number; retryCount: number; chainId?: number },
): Transport<'http'> {
  const node = getHttpRpcClient(url, { timeout, fetchFn: fetchWithBody })
  let singleUntil = 0
  const pace = createBatchPace()

  /** Null if the requests must be sent singly. */
  const askTogether = async (bodies: readonly Body[]): Promise<Answer[] | null> => {
    const began = performance.now()
    if (bodies.length === 1 || began < singleUntil) return null
    try {
      const numbered = bodies.map((body, index) => ({ ...body, id: index + 1 }))
      const answer: unknown = await node.request({ body: numbered })
      const { error } = (answer ?? {}) as Answer
      // Single requests would exceed the limit even more.
      if (error && isLimited(error)) throw new RpcRequestError({ body: numbered, error, url })
      const answers = findAnswers(answer, bodies.length)
      if (answers === null) singleUntil = performance.now() + SINGLE_FOR_MS
      else if (answers.some((one) => isLimited(one.error))) pace.recordLimited(bodies.length, began)
      else pace.recordPassed(bodies.length)
      return answers
    } catch (error) {
      if (isRateLimit(error)) pace.recordLimited(bodies.length, began)
      const isRefused = isBatchRefused(error)
      if (!isRefused && !isTooLong(error)) throw error
      if (isRefused) singleUntil = performance.now() + SINGLE_FOR_MS
      return null
    }
  }
  const sendGroup = async (group: readonly Waiting[]) => {
    const size = pace.size() ?? group.length
    let isSilent = false
    for (let at = 0; at < group.length && !isSilent; at += size) {
      isSilent = await sendPart(group.slice(at, at + size))
      // Each part of the rest would take as long.
      if (isSilent) for (const { body, reject } of group.slice(at + size)) reject(lateFor(body))
    }
  }
  const lateFor = (body: Body) => new TimeoutError({ body: { ...body }, url })
  /** @returns whether the node didn't answer in time */
  const sendPart = async (group: readonly Waiting[]): Promise<boolean> => {
    try {
      const answers = await askTogether(group.map(({ body }) => body))
      if (answers === null) return (await Promise.all(group.map(sendSingly))).includes(true)
      for (const [index, { resolve }] of group.entries()) resolve(answers[index] as Answer)
      return false
    } catch (error) {
      for (const { reject } of group) reject(error)
      return error instanceof TimeoutError
    }
  }
  const sendSingly = async ({ body, resolve, reject }: Waiting): Promise<boolean> => {
    try {
      resolve((await node.request({ body })) as Answer)
      return false
    } catch (error) {
      reject(error)
      return error instanceof TimeoutError
    }
  }
  const [askCall, ask] = [createBatches(sendGroup), createBatches(sendGroup)]
  let served: Promise<number | null> | undefined
  /** Asked with the first request. Null if the node doesn't say. */
  const findServedChain = async () => {
    const { result } = await ask({ method: 'eth_chainId', params: [] })
    return typeof result === 'string' ? Number(result) : null
  }
  const requireChain = async () => {
    if (chainId === undefined) return
    served ??= findServedChain().catch(() => null)
    const found = await served
    if (found === chainId) return
    served = undefined
    if (found !== null)
      throw new Error(`a node serves chain ${found}, not chain ${chainId}: check rpcUrls`)
  }
  const request = async ({ method, params }: Body) => {
    const body = { method, params }
    const [{ error, result }] = await Promise.all([
      (CALLS.has(method) ? askCall : ask)(body),
      requireChain(),
    ])
    if (error) throw new RpcRequestError({ body, error, url })
    // Overloaded gateways answer so. A null would mean that there is no such thing.
    if (result === undefined)
      throw new HttpRequestError({ body, url, details: 'the answer has neither result nor error' })
    return result
  }
  const config = { key: 'http', name: 'HTTP JSON-RPC', type: 'http' } as const
  return () => createTransport({ ...config, timeout, retryCount, request: request as never })
}

/** Collects what is asked within `BATCH_WAIT_MS`. */
function createBatches(
  send: (group: readonly Waiting[]) => Promise<void>,
): (body: Body) => Promise<Answer> {
  let waiting: Waiting[] = []
  const flush = () => {
    const group = waiting
    waiting = []
    void send(group)
  }
  return (body) =>
    new Promise((resolve, reject) => {
      waiting.push({ body, resolve, reject })
      if (waiting.length === 1) setTimeout(flushIfCurrent, BATCH_WAIT_MS, waiting)
      if (waiting.length === BATCH_SIZE) flush()
    })

  function flushIfCurrent(group: Waiting[]) {
    if (group === waiting) flush()
  }
}

/** A batch's answers in the order of its requests, whose ids count from 1; null unless each has one of its own. */
function findAnswers(answers: unknown, count: number): Answer[] | null {
  if (!Array.isArray(answers) || answers.length !== count) return null
  const byId = new Map(answers.map((answer) => [answer?.id, answer]))
  const sorted = Array.from({ length: count }, (_, index) => byId.get(index + 1))
  const isUsable = (answer: Answer | undefined) =>
    answer !== undefined && !(answer.error && refusesBatch(classifyRpcError(answer.error)))
  return sorted.every(isUsable) ? sorted : null
}

function isBatchRefused(error: unknown): boolean {
  // An unreachable server's has no status.
  return error instanceof HttpRequestError && BATCH_REFUSED.has(error.status ?? 0)
}

function isLimited(error: Answer['error']): boolean {
  return error !== undefined && classifyRpcError(error).failure === 'rate-limited'
}

function isRateLimit(error: unknown): boolean {
  if (error instanceof HttpRequestError) return error.status === 429
  return error instanceof RpcRequestError && classifyRpcError(error).failure === 'rate-limited'
}

function isTooLong(error: unknown): boolean {
  return (
    error instanceof BaseError && error.walk((one) => one instanceof AnswerTooLongError) !== null
  )
}

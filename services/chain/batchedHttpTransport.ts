import { BaseError, createTransport, HttpRequestError, type HttpTransport } from 'viem'
import { AnswerTooLongError, createHttpTransport } from './httpTransport.ts'

/** Requests per batch: nearly all providers accept this many. */
const BATCH_SIZE = 50

/** Milliseconds to collect requests for a batch. */
const BATCH_WAIT_MS = 1

/** HTTP statuses with which servers refuse a batch. */
const BATCH_REFUSED = new Set([400, 405, 413, 415, 422, 501])

/**
 * An HTTP transport that batches concurrent requests, because round trips dominate far from a node.
 * Once a node refuses a batch, it gets single requests from then on.
 */
export function createBatchedHttpTransport(
  url: string,
  { timeout, retryCount }: { timeout: number; retryCount: number },
): HttpTransport {
  const batch = { batchSize: BATCH_SIZE, wait: BATCH_WAIT_MS }
  let acceptsBatches = true
  return ((options) => {
    const single = createHttpTransport(url, { timeout, retryCount })(options)
    // viem batches by URL, also over clients: those that wait less long would decide for all. A fragment isn't sent.
    const ownUrl = `${url}#${timeout}`
    const batched = createHttpTransport(ownUrl, { timeout, retryCount, batch })(options)
    const send = async (request: { method: string; params?: unknown }) => {
      if (!acceptsBatches) return single.request(request as never)
      try {
        return await batched.request(request as never)
      } catch (error) {
        const isRefused = isBatchRefused(error)
        if (!isRefused && !isTooLong(error)) throw error
        if (isRefused) acceptsBatches = false
        return single.request(request as never)
      }
    }
    const { key, name, type } = single.config
    const config = { key, name, type, timeout, retryCount: 0, request: send as never }
    return createTransport(config, single.value) as never
  }) as HttpTransport
}

function isBatchRefused(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false
  const cause = error.walk((one) => one instanceof HttpRequestError || one instanceof TypeError)
  // An unreachable server is an HttpRequestError without a status, caused by fetch's TypeError.
  if (cause instanceof HttpRequestError) return BATCH_REFUSED.has(cause.status ?? 0)
  // Any other TypeError: viem expected a list of responses and got something else.
  return cause !== null
}

function isTooLong(error: unknown): boolean {
  return (
    error instanceof BaseError && error.walk((one) => one instanceof AnswerTooLongError) !== null
  )
}

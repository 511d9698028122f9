import { BaseError, createTransport, HttpRequestError, type HttpTransport, http } from 'viem'

/** Requests in one exchange: what nearly all providers take in a batch. */
const BATCH = 50

/** Milliseconds in which requests are gathered. */
const GATHER_MS = 2

/** HTTP statuses with which servers refuse batches. */
const NO_BATCHES = new Set([400, 405, 413, 415, 422, 501])

/**
 * A transport that sends requests made at about the same time in one exchange, because far from a node
 * the exchanges take the time. A node that accepts no batches gets single requests from then on.
 */
export function batchedHttp(
  url: string,
  { timeout, retryCount }: { timeout: number; retryCount: number },
): HttpTransport {
  const singly = http(url, { timeout, retryCount })
  const together = http(url, {
    ...{ timeout, retryCount, batch: { batchSize: BATCH, wait: GATHER_MS } },
  })
  let takesBatches = true
  return ((options) => {
    const [one, many] = [singly(options), together(options)]
    const request = async (asked: { method: string; params?: unknown }) => {
      if (!takesBatches) return one.request(asked as never)
      try {
        return await many.request(asked as never)
      } catch (error) {
        if (!isBatchRefused(error)) throw error
        takesBatches = false
        return one.request(asked as never)
      }
    }
    const { key, name, type } = one.config
    const config = { key, name, type, timeout, retryCount: 0, request: request as never }
    return createTransport(config, one.value) as never
  }) as HttpTransport
}

function isBatchRefused(error: unknown): boolean {
  if (!(error instanceof BaseError)) return false
  const cause = error.walk(
    // What isn't a list of answers can't be taken apart.
    (one) => one instanceof TypeError || (one instanceof HttpRequestError && isRefusal(one)),
  )
  return cause !== null
}

function isRefusal({ status }: HttpRequestError): boolean {
  return status !== undefined && NO_BATCHES.has(status)
}

import type { z } from 'zod'
import { mapInParallel } from '../../process/mapInParallel.ts'
import { type RpcRequest, resultOf } from '../rpcPool/provider.ts'
import type { RpcPool, SendOptions } from '../rpcPool/rpcPool.ts'
import { createBlockHeaderRequest } from './blockHeaderRequest.ts'
import { requestFromPool } from './requestFromPool.ts'
import { type Header, parseAnswer, rawHeaderSchema } from './rpcSchemas.ts'

/** Milliseconds to keep trying while no endpoint answers. */
export const TIMEOUT_MS = 60_000
/** Requests per exchange: most providers accept batches of this size. */
const BATCH_SIZE = 100
const CONCURRENT_BATCHES = 3

/**
 * Sends many requests in batches and returns the validated results in request order. Everything requested is known to
 * exist, so a null makes it try another endpoint.
 */
export async function requestInBatches<Schema extends z.core.$ZodType>(
  pool: Pick<RpcPool, 'send'>,
  requests: readonly RpcRequest[],
  schema: Schema,
  options: SendOptions = { totalTimeoutMs: TIMEOUT_MS },
): Promise<z.infer<Schema>[]> {
  const send = requestFromPool(pool, options)
  const batches = Array.from({ length: Math.ceil(requests.length / BATCH_SIZE) }, (_, at) =>
    requests.slice(at * BATCH_SIZE, (at + 1) * BATCH_SIZE),
  )
  const results = await mapInParallel(batches, CONCURRENT_BATCHES, async (batch) => {
    const { answers } = await send(batch)
    return answers.map((answer, at) => parseAnswer(schema, resultOf(answer), batch[at]?.method))
  })
  return results.flat()
}

export async function requestHeader(
  pool: Pick<RpcPool, 'send'>,
  block: number | 'latest',
): Promise<Header> {
  const [header] = await requestInBatches(pool, [createBlockHeaderRequest(block)], rawHeaderSchema)
  return header as Header
}

import type { z } from 'zod'
import { inParallel } from '../../process/inParallel.ts'
import { type RpcRequest, resultOf } from '../rpcPool/provider.ts'
import type { RpcPool, SendOptions } from '../rpcPool/rpcPool.ts'
import { headerRequest } from './headerRequest.ts'
import { requestFromPool } from './requestFromPool.ts'
import { checked, type Header, rawHeaderSchema } from './rpcSchemas.ts'

/** How long to go on while no endpoint answers, in milliseconds. */
export const PATIENCE_MS = 60_000
/** Requests in one exchange: what most providers take in a batch. */
const BATCH_SIZE = 100
/** Exchanges under way at once. */
const BATCHES_AT_ONCE = 3

/**
 * Asks many things in batches, and returns the checked answers in the order of the requests.
 * A null is never an answer here: another endpoint is asked, for all of it is known to exist.
 */
export async function requestInBatches<Schema extends z.ZodType>(
  pool: RpcPool,
  requests: readonly RpcRequest[],
  schema: Schema,
  options: SendOptions = { patienceMs: PATIENCE_MS },
): Promise<z.infer<Schema>[]> {
  const ask = requestFromPool(pool, options)
  const batches = Array.from({ length: Math.ceil(requests.length / BATCH_SIZE) }, (_, at) =>
    requests.slice(at * BATCH_SIZE, (at + 1) * BATCH_SIZE),
  )
  const results = await inParallel(batches, BATCHES_AT_ONCE, async (batch) => {
    const { answers } = await ask(batch)
    return answers.map((answer, at) => checked(schema, resultOf(answer), batch[at]?.method))
  })
  return results.flat()
}

/** The header of a block by number or by name. */
export async function requestHeader(pool: RpcPool, block: number | 'latest'): Promise<Header> {
  const [header] = await requestInBatches(pool, [headerRequest(block)], rawHeaderSchema)
  return header as Header
}

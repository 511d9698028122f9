import type { z } from 'zod'
import type { RpcRequest } from '../rpcPool/provider.ts'
import type { RpcPool, SendOptions } from '../rpcPool/rpcPool.ts'
import { headerRequest } from './headerRequest.ts'
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
export async function askAll<Schema extends z.ZodType>(
  pool: RpcPool,
  requests: readonly RpcRequest[],
  schema: Schema,
  options: SendOptions = { patienceMs: PATIENCE_MS },
): Promise<z.infer<Schema>[]> {
  const results: z.infer<Schema>[] = new Array(requests.length)
  let next = 0
  const sendBatches = async () => {
    while (next < requests.length) {
      const from = next
      next += BATCH_SIZE
      const batch = requests.slice(from, from + BATCH_SIZE)
      const { answers } = await pool.send(batch, {
        usable: (result) => result !== null,
        ...options,
      })
      for (const [position, answer] of answers.entries()) {
        if ('error' in answer) throw answer.error
        results[from + position] = checked(schema, answer.result, batch[position]?.method)
      }
    }
  }
  await Promise.all(Array.from({ length: BATCHES_AT_ONCE }, sendBatches))
  return results
}

/** The header of a block by number or by name. */
export async function askHeader(pool: RpcPool, block: number | 'latest'): Promise<Header> {
  const [header] = await askAll(pool, [headerRequest(block)], rawHeaderSchema)
  return header as Header
}

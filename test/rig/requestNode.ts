import { createPublicClient } from 'viem'
import { createHttpTransport } from '../../services/chain/httpTransport.ts'

/** Sends JSON-RPC requests to one node; rejects with viem's error. */
export function requestNode(
  url: string,
): (method: string, params: readonly unknown[]) => Promise<unknown> {
  const client = createPublicClient({
    transport: createHttpTransport(url, { timeout: 10_000, retryCount: 1 }),
  })
  return (method, params) => client.request({ method, params } as never)
}

import { createPublicClient, http } from 'viem'

/** Sends one JSON-RPC request to one node; rejects with whatever went wrong. */
export function requestNode(
  url: string,
): (method: string, params: readonly unknown[]) => Promise<unknown> {
  const client = createPublicClient({ transport: http(url, { timeout: 10_000, retryCount: 1 }) })
  return (method, params) => client.request({ method, params } as never)
}

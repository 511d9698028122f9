export type RpcEndpoint = {
  url: string
  /** Host and position, e.g. `rpc.example.org#2`. Safe to log, unlike the URL, which may hold an API key. */
  name: string
  /** JSON-RPC requests a second, counting each element of a batch. Undefined: unlimited. */
  requestsPerSecond: number | undefined
}

/**
 * A chain's URLs with loggable names and configured rates, in configuration order.
 *
 * @throws TypeError for an invalid URL
 */
export function rpcEndpoints({
  rpcUrls,
  requestsPerSecond = {},
}: {
  rpcUrls: readonly string[]
  requestsPerSecond?: Readonly<Record<string, number>> | undefined
}): RpcEndpoint[] {
  return rpcUrls.map((url, position) => ({
    url,
    requestsPerSecond: requestsPerSecond[url],
    name: `${new URL(url).host}#${position + 1}`,
  }))
}

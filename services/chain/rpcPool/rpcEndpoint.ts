export type RpcEndpoint = {
  url: string
  /** Host and position, e.g. `rpc.example.org#2`. Safe to log, unlike the URL, which may hold an API key. */
  name: string
  /** JSON-RPC requests a second, counting each element of a batch. Undefined: unlimited. */
  requestsPerSecond: number | undefined
  /** Who runs it. One operator's endpoints count once. Default: its host. */
  operator: string
}

/**
 * A chain's URLs with loggable names and configured rates, in configuration order.
 *
 * @throws TypeError for an invalid URL
 */
export function createRpcEndpoints({
  rpcUrls,
  requestsPerSecond = {},
  operators = {},
}: {
  rpcUrls: readonly string[]
  requestsPerSecond?: Readonly<Record<string, number>> | undefined
  operators?: Readonly<Record<string, string>> | undefined
}): RpcEndpoint[] {
  return rpcUrls.map((url, position) => {
    const { host } = new URL(url)
    return {
      url,
      requestsPerSecond: requestsPerSecond[url],
      operator: operators[url] ?? host,
      name: `${host}#${position + 1}`,
    }
  })
}

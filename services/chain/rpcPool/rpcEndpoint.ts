export type RpcEndpoint = {
  url: string
  /** Host and position, e.g. `rpc.example.org#2`. Safe to print: paths and queries often hold API keys. */
  name: string
  /** JSON-RPC requests a second, each element of a batch counted. Undefined: no limit of our own. */
  requestsPerSecond: number | undefined
}

/**
 * A chain's URLs with printable names and the rates that the operator set, in the operator's order.
 *
 * @throws TypeError when one of them is not a URL.
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

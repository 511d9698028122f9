export const PATHS = {
  overview: '/',
  intents: '/explorer/intents',
  orders: '/explorer/orders',
  solvers: '/explorer/solvers',
  pairs: '/explorer/pairs',
  chains: '/explorer/chains',
  tokens: '/explorer/tokens',
  wallet: '/explorer/wallet',
  search: '/explorer/search',
  intent: (id: bigint | string) => `/explorer/intent/${id}`,
  order: (id: string, chainId: number | string) => `/explorer/order/${id}?chainId=${chainId}`,
  solver: (address: string) => `/explorer/solver/${address}`,
  address: (address: string) => `/explorer/address/${address}`,
  transaction: (hash: string) => `/explorer/transaction/${hash}`,
  block: (chainId: number | string, number: number | string) =>
    `/explorer/block/${chainId}/${number}`,
  pair: (pair: { sourceChainId: number; destChainId: number; tokenA: string; tokenB: string }) =>
    `/explorer/pair/${pair.sourceChainId}/${pair.destChainId}/${pair.tokenA}/${pair.tokenB}`,
}

/** A page's path with its query changed; null removes a parameter. */
export function changedPath(
  path: string,
  query: [name: string, value: string][],
  changes: Record<string, string | null>,
): string {
  const next = new URLSearchParams(query)
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) next.delete(name)
    else next.set(name, value)
  }
  return next.size === 0 ? path : `${path}?${next}`
}

import { registerSolverMessage } from '../../../sdk/messages/registerSolverMessage.ts'
import type { RelayerClient } from '../../../sdk/relayer/relayerClient.ts'
import type { Route } from '../../../sdk/relayer/relayerResponses.ts'
import { repeat } from '../../process/repeat.ts'
import type { SolverAccount } from '../account/solverAccount.ts'
import type { SolverChain } from '../chain/solverChain.ts'
import type { Policy } from '../policy/policy.ts'

/** The relayer drops solvers after ten minutes. */
const RENEW_EVERY_MS = 4 * 60_000
const RETRY_EVERY_MS = 5_000

/** Keeps the served pairs registered with the relayer. */
export function keepRegistered(options: {
  relayer: RelayerClient
  account: SolverAccount
  chains: readonly SolverChain[]
  policy: () => Policy
  onTrouble: (error: unknown) => void
}): { stop(): Promise<void> } {
  const { relayer, account, chains, policy } = options
  let renewAt = 0
  return repeat(RETRY_EVERY_MS, options.onTrouble, async () => {
    if (performance.now() < renewAt) return
    await register(relayer, account, servedRoutes(policy(), chains))
    renewAt = performance.now() + RENEW_EVERY_MS
  })
}

async function register(
  relayer: RelayerClient,
  account: SolverAccount,
  routes: readonly Route[],
): Promise<void> {
  const timestamp = Math.floor(Date.now() / 1_000)
  const message = registerSolverMessage(account.address, routes, timestamp)
  await relayer.registerSolver(
    { solverAddress: account.address, routes },
    {
      'x-solver-signature': await account.signMessage(message),
      'x-timestamp': String(timestamp),
    },
  )
}

/** Every pair of tokens on two chains that the policy serves. */
function servedRoutes(policy: Policy, chains: readonly SolverChain[]): Route[] {
  const served = chains.filter(({ chainId }) => policy.chains.has(chainId))
  const tokens = served.flatMap((chain) =>
    [...policy.tokens.values()]
      .filter(({ chainId }) => chainId === chain.chainId)
      .map(({ address }) => ({ chain, address })),
  )
  return tokens.flatMap((a) =>
    tokens.flatMap((b) => {
      if (a.chain === b.chain) return []
      const pair = { tokenA: a.address, tokenB: b.address }
      const ids = { sourceChainId: a.chain.chainId, destChainId: b.chain.chainId }
      if (policy.termsFor({ ...pair, ...ids }) === null) return []
      return [{ sourceChain: a.chain.name, destChain: b.chain.name, ...pair }]
    }),
  )
}

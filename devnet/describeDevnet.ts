import type { Hex } from 'viem'
import type { DevnetAccount, DevnetAccounts } from './accounts.ts'
import type { DevnetContracts } from './deploy/devnetContracts.ts'
import type { DevnetFile } from './devnetFile.ts'
import type { DevnetChain } from './startChains.ts'
import type { RunningDevnetSolver } from './startRoles.ts'

/** A running devnet as its file describes it. */
export function describeDevnet(devnet: {
  api: string
  adminToken: string
  databaseUrl: string
  chains: readonly DevnetChain[]
  contracts: DevnetContracts
  accounts: DevnetAccounts
  solvers: readonly RunningDevnetSolver[]
  orders: string | null
}): DevnetFile {
  const { api, adminToken, databaseUrl, chains, contracts, accounts, solvers, orders } = devnet
  return {
    api,
    graphql: `${api}/graphql`,
    orders,
    adminToken,
    solvers: solvers.map(({ name, url, address, adminToken: token }) => ({
      name,
      url,
      address,
      adminToken: token,
    })),
    chains: chains.map(({ name, chainId, rpc, ws }) => ({
      name,
      chainId,
      rpc,
      ws,
      bridge: contracts.bridge,
      registry: contracts.registry,
      vault: contracts.vault,
      tokens: { ...contracts.tokens },
      startBlock: 0,
    })),
    accounts: {
      deployer: accounts.deployer.privateKey,
      relayer: accounts.relayer.privateKey,
      treasury: accounts.treasury.privateKey,
      operators: keysOf(accounts.operators),
      quoting: accounts.quoting.privateKey,
      solvers: keysOf(accounts.solvers),
      rogue: accounts.rogue.privateKey,
      senders: keysOf(accounts.senders),
      guests: keysOf(accounts.guests),
    },
    databaseUrl,
  }
}

function keysOf(accounts: readonly DevnetAccount[]): Hex[] {
  return accounts.map(({ privateKey }) => privateKey)
}

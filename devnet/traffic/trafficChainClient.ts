import type { Address } from 'viem'
import { type AccountSender, createAccountSender } from '../../services/chain/accountSender.ts'
import type { DevnetAccounts } from '../accounts.ts'
import type { DevnetContracts } from '../deploy/devnetContracts.ts'
import { createDevnetClient, type DevnetClient } from '../devnetClient.ts'

/** A chain as the traffic player uses it. */
export type TrafficChain = {
  chainId: number
  client: DevnetClient
  contracts: DevnetContracts
  relayer: AccountSender
  solvers: AccountSender[]
  rogue: AccountSender
  senders: AccountSender[]
}

/** Clients and senders for one chain. Create them once: a sender tracks its account's nonces. */
export function createTrafficChainClient(
  chain: { name: string; chainId: number; rpc: string },
  contracts: DevnetContracts,
  accounts: DevnetAccounts,
): TrafficChain {
  const client = createDevnetClient(chain)
  return {
    chainId: chain.chainId,
    client,
    contracts,
    relayer: createAccountSender(client, accounts.relayer),
    solvers: accounts.solvers.map((account) => createAccountSender(client, account)),
    rogue: createAccountSender(client, accounts.rogue),
    senders: accounts.senders.map((account) => createAccountSender(client, account)),
  }
}

/** Index of an address among these senders; -1 for others. */
export function positionOf(senders: readonly AccountSender[], address: Address | string): number {
  const requested = address.toLowerCase()
  return senders.findIndex((sender) => sender.address.toLowerCase() === requested)
}

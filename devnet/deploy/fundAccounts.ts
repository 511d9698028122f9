import {
  type Address,
  encodeFunctionData,
  erc20Abi,
  maxUint256,
  multicall3Abi,
  parseAbi,
} from 'viem'
import { type AccountSender, createAccountSender } from '../../services/chain/accountSender.ts'
import { MULTICALL3 } from '../../services/chain/chainClient.ts'
import type { DevnetAccount, DevnetAccounts } from '../accounts.ts'
import type { DevnetClient } from '../devnetClient.ts'
import { TOKEN_SYMBOLS, worth } from '../tokens.ts'
import type { DevnetContracts } from './devnetContracts.ts'
import { stakeAccount } from './stakeAccount.ts'

/** Each account's balance of each token, in cents: a billion dollars' worth. */
const SHARE = 100_000_000_000
const APPROVAL_GAS = 100_000n

/** The relayer's gas balance in wei, and the level below which it is topped up. */
const RELAYER_GAS = 1_000n * 10n ** 18n
const RELAYER_RESERVE = 100n * 10n ** 18n

const mintAbi = parseAbi(['function mint(address to, uint256 amount)'])

/**
 * Funds solvers, senders, the order owner and guests with every token, approves the bridge for solvers and senders,
 * stakes for the rogue and gives the relayer gas. Guests approve for themselves, as the first thing to try; solvers stake
 * for themselves too.
 */
export async function fundAccounts(
  client: DevnetClient,
  payer: AccountSender,
  contracts: DevnetContracts,
  accounts: DevnetAccounts,
): Promise<void> {
  const players = [...accounts.solvers, accounts.rogue, ...accounts.senders]
  const rogue = createAccountSender(client, accounts.rogue, 100)
  await Promise.all([
    payForGas(client, payer, accounts.relayer.address),
    mintShares(client, payer, contracts, [...players, accounts.owner, ...accounts.guests]),
    ...players.map((account) => approveBridge(client, account, contracts)),
  ])
  await stakeAccount(client, rogue, accounts.rogue, contracts)
}

async function payForGas(
  client: DevnetClient,
  payer: AccountSender,
  relayer: Address,
): Promise<void> {
  const balance = await client.getBalance({ address: relayer })
  if (balance < RELAYER_RESERVE)
    await payer.execute({ to: relayer, data: '0x', value: RELAYER_GAS, gas: 21_000n })
}

async function mintShares(
  client: DevnetClient,
  payer: AccountSender,
  contracts: DevnetContracts,
  owners: DevnetAccount[],
): Promise<void> {
  const requested = TOKEN_SYMBOLS.flatMap((symbol) =>
    owners.map(({ address }) => ({
      token: contracts.tokens[symbol],
      owner: address,
      amount: worth(symbol, SHARE),
    })),
  )
  const balances = await client.multicall({
    allowFailure: false,
    contracts: requested.map(({ token, owner }) => balanceOf(token, owner)),
  })
  const calls = requested
    .filter(({ amount }, position) => (balances[position] ?? 0n) < amount / 2n)
    .map(({ token, owner, amount }) => ({
      target: token,
      allowFailure: false,
      callData: encodeFunctionData({ abi: mintAbi, functionName: 'mint', args: [owner, amount] }),
    }))
  if (calls.length === 0) return
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] })
  await payer.execute({ to: MULTICALL3, data })
}

function balanceOf(token: Address, owner: Address) {
  return { address: token, abi: erc20Abi, functionName: 'balanceOf', args: [owner] } as const
}

async function approveBridge(
  client: DevnetClient,
  account: DevnetAccount,
  { tokens, bridge }: DevnetContracts,
): Promise<void> {
  const sender = createAccountSender(client, account)
  const addresses = Object.values(tokens)
  const allowances = await client.multicall({
    allowFailure: false,
    contracts: addresses.map((address) => {
      const args = [account.address, bridge] as const
      return { address, abi: erc20Abi, functionName: 'allowance', args } as const
    }),
  })
  const missing = addresses.filter((_, position) => allowances[position] === 0n)
  const data = encodeFunctionData({
    abi: erc20Abi,
    functionName: 'approve',
    args: [bridge, maxUint256],
  })
  await Promise.all(missing.map((to) => sender.execute({ to, data, gas: APPROVAL_GAS })))
}

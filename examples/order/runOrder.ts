import { type Address, createPublicClient, createWalletClient, erc20Abi, http } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import type { DevnetFile } from '../../devnet/devnetFile.ts'
import { createOrdersClient, type ScheduledOrder, waitForOrder } from '../../sdk/index.ts'

/**
 * 200 USDC in two tranches, the second after 44 seconds, and a remainder too small for a tranche, which is returned. Each
 * auction lasts half a period: as long as the devnet's others, so that solvers on a busy machine can bid.
 */
const TERMS = {
  totalAmountIn: 200_000_005n,
  amountPerPeriod: 100_000_000n,
  period: 44,
  /** Minimum a tranche delivers: 5 % goes to the solver's reward, 2.5 % to the fee. */
  amounts: [92_000_000n],
}

/** Milliseconds between polls. */
const POLL_EVERY = 1_000

/**
 * Follows one order from the approval to the last tranche, until none of it is left in the vault.
 *
 * @param owner has USDC and gas on Horizen
 * @param recipient is paid on Base
 * @returns the finished order
 */
export async function runOrder(
  devnet: DevnetFile,
  owner: PrivateKeyAccount,
  recipient: Address,
  tell: (line: string) => void,
): Promise<ScheduledOrder> {
  if (devnet.orders === null) throw new Error('the devnet runs without the orders service')
  const orders = createOrdersClient({ baseUrl: devnet.orders })
  const source = chainOf(devnet, 'horizen_testnet')
  const destination = chainOf(devnet, 'base_sepolia')

  const vault = await orders.vaultAddress()
  const startTime = await approveVault(source, owner, vault)
  tell(`approved the vault ${vault}`)

  const order = await orders.createOrder(
    {
      user: owner.address,
      ...{ assetIn: source.usdc, assetOut: destination.usdc },
      ...{ chainIn: source.name, chainOut: destination.name },
      ...{ sourceChainId: source.chainId, destChainId: destination.chainId },
      ...TERMS,
      ...{ startTime, endTime: startTime + 600, recipients: [recipient] },
    },
    (message) => owner.signMessage({ message }),
  )
  tell(`placed ${order.id}: 2 tranches of 100 USDC for ${recipient}`)

  let fired = 0
  const ended = await waitForOrder(orders, order.id, {
    pollMs: POLL_EVERY,
    onOrder: ({ intentIds, tranchesFilled, totalTranches }) => {
      for (; fired < tranchesFilled; fired++)
        tell(`tranche ${fired + 1} of ${totalTranches} is intent ${intentIds[fired] ?? '(hidden)'}`)
    },
  })
  const { status, stopReason, amountSpent, amountRefunded } = ended
  tell(
    `${status} (${stopReason}): ${amountSpent} spent, ${amountRefunded} returned, 0 left in the vault`,
  )
  return ended
}

function chainOf({ chains }: DevnetFile, requested: string) {
  const chain = chains.find(({ name }) => name === requested)
  const usdc = chain?.tokens.USDC
  if (chain === undefined || usdc === undefined) throw new Error(`the devnet has no ${requested}`)
  return { ...chain, usdc: usdc as Address }
}

/** @returns the chain's time, in unix seconds */
async function approveVault(
  { rpc, usdc }: { rpc: string; usdc: Address },
  owner: PrivateKeyAccount,
  vault: Address,
): Promise<number> {
  const transport = http(rpc)
  const client = createPublicClient({ transport, pollingInterval: 200 })
  const wallet = createWalletClient({ account: owner, transport })
  const hash = await wallet.writeContract({
    ...{ address: usdc, abi: erc20Abi, functionName: 'approve', chain: null },
    args: [vault, TERMS.totalAmountIn],
  })
  const { blockHash } = await client.waitForTransactionReceipt({ hash })
  return Number((await client.getBlock({ blockHash })).timestamp)
}

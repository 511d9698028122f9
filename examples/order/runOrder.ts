import { type Address, createWalletClient, erc20Abi, formatUnits, http } from 'viem'
import { createOrdersClient, type ScheduledOrder, waitForOrder } from '../../sdk/index.ts'
import type { ExampleSetup } from '../exampleSetup.ts'

/**
 * 200 USDC in two tranches, the second after a minute, and a remainder too small for a tranche, which is returned. Each
 * auction lasts half a period. Solvers bid in its last third: ten seconds, enough for a busy machine.
 */
const TERMS = {
  totalAmountIn: 200_000_005n,
  amountPerPeriod: 100_000_000n,
  period: 60,
  /** Minimum a tranche delivers: 5 % goes to the solver's reward, 2.5 % to the fee. */
  amounts: [92_000_000n],
}

/** Milliseconds between polls. */
const POLL_EVERY = 1_000

/**
 * Follows one order from the approval to the last tranche, until none of it is left in the vault.
 *
 * @param baseUrl of the order service
 * @returns the finished order
 */
export async function runOrder(
  setup: ExampleSetup,
  baseUrl: string,
  recipient: Address,
  log: (line: string) => void,
): Promise<ScheduledOrder> {
  const { source, destination, sender } = setup
  const orders = createOrdersClient({ baseUrl, chains: [source] })
  // As configured: whoever answers for the service could name an account of its own.
  const { vault } = source
  const startTime = await approveVault(setup, vault)
  log(`approved the vault ${vault}`)

  const order = await orders.createOrder(
    {
      user: sender.address,
      assetIn: source.usdc,
      assetOut: destination.usdc,
      chainIn: source.name,
      chainOut: destination.name,
      sourceChainId: source.chainId,
      destChainId: destination.chainId,
      ...TERMS,
      startTime,
      endTime: startTime + 600,
      recipients: [recipient],
    },
    (message) => sender.signMessage({ message }),
  )
  log(`placed ${order.id}: 2 tranches of 100 USDC for ${recipient}`)

  let fired = 0
  const ended = await waitForOrder(orders, order.id, {
    pollMs: POLL_EVERY,
    vault: { client: source.publicClient, address: vault },
    onOrder: ({ intentIds, tranchesFilled, totalTranches }) => {
      for (; fired < tranchesFilled; fired++)
        log(`tranche ${fired + 1} of ${totalTranches} is intent ${intentIds[fired] ?? '(hidden)'}`)
    },
  })
  const { status, stopReason, amountSpent, amountRefunded } = ended
  const usdc = (amount: bigint) => `${formatUnits(amount, 6)} USDC`
  log(`${status} (${stopReason}): ${usdc(amountSpent)} spent, ${usdc(amountRefunded)} returned`)
  return ended
}

/** @returns the chain's time, in unix seconds */
async function approveVault(
  { source: { rpc, usdc, publicClient }, sender }: ExampleSetup,
  vault: Address,
): Promise<number> {
  const wallet = createWalletClient({ account: sender, transport: http(rpc) })
  const hash = await wallet.writeContract({
    address: usdc,
    abi: erc20Abi,
    functionName: 'approve',
    chain: null,
    args: [vault, TERMS.totalAmountIn],
  })
  const { blockHash } = await publicClient.waitForTransactionReceipt({ hash })
  return Number((await publicClient.getBlock({ blockHash })).timestamp)
}

import { sql } from 'kysely'
import { type Address, erc20Abi, getAddress, type PublicClient, zeroAddress } from 'viem'
import type { OrderTerms } from '../../../core/order/enclaveVaultMessages.ts'
import { orderVaultAbi } from '../../../src/event/abi/orderVault.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { ifFromOtherContract } from '../../chain/ifFromOtherContract.ts'
import {
  isDestinationListed,
  readTokenListing,
  type TokenListing,
} from '../chain/bridgeAllowLists.ts'
import { calculateMinimumTranche } from '../gas/calculateMinimumTranche.ts'
import { OrderError } from '../orderError.ts'
import type { OrdersContext, ServedChain } from '../ordersContext.ts'
import type { Submitted } from '../ordersServiceTypes.ts'
import { checkOutput } from './checkOutput.ts'
import { createFundingFailedError, createFundingPendingError } from './fundingErrors.ts'
import { queryVault, throwUnreachable } from './queryVault.ts'
import { invalid } from './throwEnclaveProblem.ts'

/**
 * Checks an order against its chains: the bridges' token and destination lists, the least it delivers, and the owner's balance and
 * allowance.
 *
 * @throws OrderError
 */
export async function checkOrderCanBeFunded(
  context: OrdersContext,
  chain: ServedChain,
  terms: OrderTerms & { orderId: Hex },
  submitted: Submitted,
): Promise<TokenListing> {
  const listing = await checkTerms(chain, terms, submitted)
  await checkOutput(context, chain, terms)
  await queryVault(
    chain,
    (client) => checkFunds(client, chain, terms),
    () => 'enough',
  )
  return listing
}

/**
 * Checks that the vault doesn't have the order: its funding, which uses up the allowance, may not have been read yet. A refusal
 * would make the owner place a second order.
 *
 * @throws OrderError; a temporary one if it has
 */
export async function checkIsNew(chain: ServedChain, orderId: Hex): Promise<void> {
  const at = { address: chain.vault, abi: orderVaultAbi, functionName: 'getOrder' } as const
  const check = async (client: PublicClient) => {
    const { owner } = await client.readContract({ ...at, args: [orderId] })
    if (owner !== zeroAddress) throw createFundingPendingError(orderId)
  }
  await queryVault(chain, check, () => 'new')
}

/**
 * Checks that no vault that this chain had before has the order. Its owner's message is public there: without an expiry, anyone
 * could place the order again, in the present vault, and have its recipients paid twice.
 *
 * @throws OrderError
 */
export async function checkIsNotMoved(
  { db }: Pick<OrdersContext, 'db'>,
  chain: Pick<ServedChain, 'chainId' | 'vault' | 'nodes'>,
  orderId: Hex,
): Promise<void> {
  const { rows } = await sql<{ vault: Hex }>`
    select vault from orders.former_vault
    where chain_id = ${chain.chainId} and vault <> ${chain.vault}`.execute(db)
  for (const { vault: address } of rows) {
    const owner = await queryVault(chain, (client) => ownerIn(client, address, orderId), String)
    if (owner === zeroAddress) continue
    const words = 'this message has placed an order before, in an earlier vault: sign another'
    throw new OrderError('INVALID_SIGNATURE', words)
  }
}

/** Zero also if the address has no vault, such as after a typing error. */
function ownerIn(client: PublicClient, address: Hex, orderId: Hex): Promise<Address> {
  return client
    .readContract({ address, abi: orderVaultAbi, functionName: 'getOrder', args: [orderId] })
    .then(({ owner }) => owner, ifFromOtherContract(zeroAddress))
}

async function checkTerms(
  chain: ServedChain,
  { token, destChainId, amountPerPeriod, totalAmount }: OrderTerms,
  submitted: Submitted,
): Promise<TokenListing> {
  const listing = await queryVault(
    chain,
    (client) => readTokenListing(client, chain, token),
    (listed) => String(listed && Object.values(listed)),
  )
  if (listing === null) throw invalid('assetIn')
  const isListed = await queryVault(
    chain,
    (client) => isDestinationListed(client, chain, destChainId),
    String,
  )
  if (!isListed) throw invalid('destChainId')
  const { max } = listing
  const min = await calculateMinimumTranche(chain, listing, {
    ...submitted,
    totalAmount,
    amountPerPeriod,
  }).catch(throwUnreachable)
  if (amountPerPeriod < min || amountPerPeriod > max) {
    const limits = { minimum: String(min), maximum: String(max) }
    throw invalid('amountPerPeriod', limits)
  }
  return listing
}

/** Precedes the simulation, since tokens report these failures differently, and some not at all. */
async function checkFunds(
  client: PublicClient,
  { vault }: ServedChain,
  { token, owner, totalAmount }: OrderTerms,
): Promise<void> {
  const at = { address: token, abi: erc20Abi } as const
  const [balance, allowance] = await Promise.all([
    client.readContract({ ...at, functionName: 'balanceOf', args: [owner] }),
    client.readContract({ ...at, functionName: 'allowance', args: [owner, vault] }),
  ])
  const needed = String(totalAmount)
  if (allowance < totalAmount) {
    throw createFundingFailedError('allowance', `approve ${needed} for ${getAddress(vault)}`, {
      needed,
      allowance,
    })
  }
  if (balance < totalAmount) {
    throw createFundingFailedError('balance', `the owner needs ${needed}`, { needed, balance })
  }
}

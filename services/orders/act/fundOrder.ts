import { BaseError, ContractFunctionRevertedError, encodeFunctionData, erc20Abi } from 'viem'
import type { OrderState } from '../../../core/order/orderState.ts'
import type { OrderTerms } from '../../../core/order/vaultMessages.ts'
import { orderVaultAbi } from '../../../src/event/abi/orderVault.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { findTransaction } from '../../chain/transactions/findTransaction.ts'
import { isOver } from '../../chain/transactions/transaction.ts'
import type { ResponseOf } from '../../enclave/port.ts'
import { isDestinationListed, type TokenListing, tokenListing } from '../chain/bridgeRules.ts'
import { OrderError } from '../orderError.ts'
import type { OrdersContext, ServedChain } from '../ordersContext.ts'
import { refusalOf, rememberRefusal } from '../refusals.ts'
import { awaitOrder } from './awaitOrder.ts'
import { collectSigned } from './collectSigned.ts'
import { enclaveProblem, invalid } from './enclaveProblem.ts'
import { gasMinimum } from './gasMinimum.ts'
import { effectOf, requestEffect } from './requestEffect.ts'

/** What an owner sends: the order as ciphertext, and the message that it signed. */
export type Submitted = { encrypted: Hex; message: string; signature: Hex }

/** Seconds for which a request may be funded: a refused one lapses by itself. Clocks may differ a little. */
const FUNDING_SECONDS = 600 - 20

type Signed = ResponseOf<'signFunding'>

/**
 * Funds an order: one `transferFrom` of its owner to the vault. The same order sent again is answered as it
 * stands.
 *
 * @throws OrderError
 */
export async function fundOrder(
  context: OrdersContext,
  submitted: Submitted,
): Promise<FundedOrder> {
  const deadline = await deadlineOf(context)
  const first = await context.enclaves[0].signFunding({ ...submitted, deadline }).catch(rethrow)
  const orderId = first.message.orderId as Hex
  const chain = context.chains.get(first.sourceChainId)
  if (chain === undefined) throw invalid('sourceChainId')
  const known = chain.follower.latest()?.book.find(orderId)
  if (known) return { chain, order: known }
  const refused = await refusalOf(context.db, orderId)
  if (refused !== null) throw refused
  try {
    const call = await prepare(context, chain, submitted, first, deadline)
    return { chain, order: await send(context, chain, orderId, call, deadline) }
  } catch (error) {
    if (error instanceof OrderError && isFinal(error)) {
      const order = await asked(context, chain, orderId)
      if (order !== null) return { chain, order }
      await rememberRefusal(context.db, orderId, error)
      context.events.refused(
        error.code,
        String(error.details?.field ?? error.details?.reason ?? ''),
      )
    }
    throw error
  }
}

/**
 * The vault goes by the latest block's time, which lags behind ours, and the enclaves by their clocks. A
 * service that has just begun looks first: without the block's time the vault might refuse the deadline.
 */
async function deadlineOf({ settings, chains }: OrdersContext): Promise<number> {
  const heads = [...chains.values()].map(async ({ follower }) => {
    const followed = follower.latest() ?? (await follower.look().catch(() => null))
    return followed?.head.timestamp
  })
  const known = (await Promise.all(heads)).filter((time) => time !== undefined)
  return Math.min(settings.now(), ...known) + FUNDING_SECONDS
}

export type FundedOrder = { chain: ServedChain; order: OrderState }

function rethrow(error: unknown): never {
  throw enclaveProblem(error)
}

/** What an order is refused for once and for all: a new one has to be encrypted. */
function isFinal({ code }: OrderError): boolean {
  return code === 'FUNDING_FAILED' || code === 'VALIDATION_FAILED' || code === 'INVALID_SIGNATURE'
}

/** Checks what only the chain knows, has as many enclaves sign as the token asks for, and tries the call. */
async function prepare(
  context: OrdersContext,
  chain: ServedChain,
  submitted: Submitted,
  { message: { orderId: _, ...terms }, digestOffset, ownerSignature }: Signed,
  deadline: number,
): Promise<Hex> {
  const { quorum } = await onChain(() => checkTerms(context, chain, terms as OrderTerms))
  await onChain(() => checkFunds(chain, terms as OrderTerms))
  const { encrypted, message } = submitted
  const { signatures } = await collectSigned(context.enclaves, quorum, (enclave) =>
    enclave.signFunding({ ...submitted, deadline }),
  ).catch(rethrow)
  const request = { terms: terms as OrderTerms, digestOffset: BigInt(digestOffset) }
  const text: Hex = `0x${Buffer.from(message, 'utf8').toString('hex')}`
  const args = [request, encrypted, text, ownerSignature, signatures] as const
  const call = { abi: orderVaultAbi, functionName: 'fundOrder', args } as const
  await onChain(() =>
    chain.client.simulateContract({ ...call, address: chain.vault, account: context.account }),
  )
  return encodeFunctionData(call)
}

async function checkTerms(
  context: OrdersContext,
  chain: ServedChain,
  { token, destChainId, amountPerPeriod }: OrderTerms,
): Promise<TokenListing> {
  const listing = await tokenListing(chain, token)
  if (listing === null) throw invalid('assetIn')
  if (!(await isDestinationListed(chain, destChainId))) throw invalid('destChainId')
  const { greatest } = listing
  const least = await gasMinimum(context, chain, listing)
  if (amountPerPeriod < least || amountPerPeriod > greatest) {
    const limits = { minimum: String(least), maximum: String(greatest) }
    throw invalid('amountPerPeriod', limits)
  }
  return listing
}

/** Named before anything is tried: a token's own words for it differ, and some have none. */
async function checkFunds(
  { client, vault }: ServedChain,
  { token, owner, totalAmount }: OrderTerms,
): Promise<void> {
  const at = { address: token, abi: erc20Abi } as const
  const [balance, allowance] = await Promise.all([
    client.readContract({ ...at, functionName: 'balanceOf', args: [owner] }),
    client.readContract({ ...at, functionName: 'allowance', args: [owner, vault] }),
  ])
  const needed = String(totalAmount)
  if (allowance < totalAmount) {
    throw fundingFailed('allowance', `approve ${needed} for ${vault}`, { needed, allowance })
  }
  if (balance < totalAmount) {
    throw fundingFailed('balance', `the owner needs ${needed}`, { needed, balance })
  }
}

function fundingFailed(
  reason: string,
  what: string,
  amounts: Record<string, bigint | string> = {},
): OrderError {
  const texts = Object.entries(amounts).map(([name, value]) => [name, String(value)])
  const words = `the vault can’t take the order’s tokens (${reason}): ${what}. Encrypt and sign the order again; this one stays refused`
  return new OrderError('FUNDING_FAILED', words, { reason, ...Object.fromEntries(texts) })
}

/** What a chain's node says: a revert is a refusal, and anything else may pass. */
async function onChain<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof OrderError) throw error
    const reverted =
      error instanceof BaseError
        ? error.walk((one) => one instanceof ContractFunctionRevertedError)
        : null
    if (reverted instanceof ContractFunctionRevertedError) throw refusalOfRevert(reverted)
    throw new OrderError('RPC_UNREACHABLE', 'the chain’s nodes can’t be reached: try again')
  }
}

function refusalOfRevert({ data, reason }: ContractFunctionRevertedError): OrderError {
  const name = data?.errorName ?? ''
  if (name === 'MessageAlreadyUsed') {
    return new OrderError(
      'INVALID_SIGNATURE',
      'this message has placed an order before: sign another',
    )
  }
  if (name === 'WrongOwnerSignature') {
    return new OrderError('INVALID_SIGNATURE', 'the vault rejects the owner’s signature')
  }
  // Of these the order is not to blame: it may be sent again.
  if (name === 'OrderExists') return pending(data?.args?.[0] as Hex)
  if (name === 'DeadlineTooFar' || name === 'RequestLapsed') {
    return new OrderError('RPC_UNREACHABLE', 'the chain’s time is not ours: try again')
  }
  const said = name === 'Error' ? String(data?.args?.[0] ?? '') : name || reason || 'reverted'
  return fundingFailed(said.slice(0, 100), 'the transfer reverts')
}

/**
 * What came of the same order when it was asked for before: its own funding, not shown yet, makes a second
 * try fail. Null when it wasn't, or failed.
 *
 * @throws OrderError while it is under way
 */
async function asked(
  context: OrdersContext,
  chain: ServedChain,
  orderId: Hex,
): Promise<OrderState | null> {
  const effect = effectOf('fundOrder', orderId)
  const key = { kind: 'fundOrder', chainId: chain.chainId, effect }
  const known = await findTransaction(context.db, key)
  if (known === null || (isOver(known) && !known.succeeded)) return null
  const { order, transaction } = await awaitOrder(context, chain, known.id, orderId, () => true)
  if (order !== null) return order
  if (transaction?.state === 'failed' || transaction?.state === 'superseded') return null
  throw pending(orderId)
}

function pending(orderId: Hex): OrderError {
  return new OrderError(
    'FUNDING_PENDING',
    'the funding is not in a block yet: send the same order again to see its result',
    { orderId },
  )
}

/** Has the call sent, and waits until the chain tells of the order. */
async function send(
  context: OrdersContext,
  chain: ServedChain,
  orderId: Hex,
  data: Hex,
  deadline: number,
): Promise<OrderState> {
  const effect = effectOf('fundOrder', orderId)
  const { id } = await requestEffect(context, chain, { kind: 'fundOrder', effect, data, deadline })
  context.events.asked('fundOrder', chain.name, orderId)
  const { order, transaction } = await awaitOrder(context, chain, id, orderId, () => true)
  if (order !== null) return order
  if (transaction?.state === 'failed' || transaction?.state === 'superseded') {
    const { problem } = transaction
    throw fundingFailed(problem ?? 'reverted', 'the transfer reverted')
  }
  if (transaction?.problem === 'OUT_OF_GAS') {
    throw new OrderError('OUT_OF_GAS', 'the service is out of gas: try again later')
  }
  throw pending(orderId)
}

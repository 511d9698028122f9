import { encodeFunctionData } from 'viem'
import type { OrderTerms } from '../../../core/order/enclaveVaultMessages.ts'
import type { OrderState } from '../../../core/order/orderState.ts'
import { orderVaultAbi } from '../../../src/event/abi/orderVault.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { hasFailed, isOver, type Transaction } from '../../chain/transactions/transaction.ts'
import type { ResponseOf } from '../../enclave/enclaveInterface.ts'
import { OrderError } from '../orderError.ts'
import type { OrdersContext, ServedChain } from '../ordersContext.ts'
import type { Submitted } from '../ordersService.ts'
import { refusalOf, rememberRefusal } from '../refusedOrders.ts'
import { awaitOrder } from './awaitOrder.ts'
import { checkFunding } from './checkFunding.ts'
import { collectSigned } from './collectSigned.ts'
import type { GasRequest } from './decideGas.ts'
import { invalid, throwEnclaveProblem } from './enclaveProblem.ts'
import { FUNDING_SECONDS, fundingDeadline } from './fundingDeadline.ts'
import { fundingGasLimit } from './fundingGasLimit.ts'
import { fundingFailed, fundingPending, gasNotPaid, onVault } from './fundingProblem.ts'
import { gasOfCalls, sizeOf } from './gasMinimum.ts'
import { findEffect } from './requestEffect.ts'
import { requestWithinGasBudget } from './requestWithinGasBudget.ts'
import { vaultSignatureJudge } from './vaultSignatureJudge.ts'

type FundedOrder = { chain: ServedChain; order: OrderState }

type Signed = ResponseOf<'signFunding'>

/** A funding that would succeed now. */
type Funding = {
  to: Hex
  data: Hex
  deadline: number
  owner: Hex
  gasRequest: GasRequest
  gasLimit?: bigint
}

/**
 * Funds an order: one `transferFrom` of its owner to the vault. The same order sent again is returned as it
 * is.
 *
 * @throws OrderError
 */
export async function fundOrder(
  context: OrdersContext,
  submitted: Submitted,
): Promise<FundedOrder> {
  const opened = await open(context, submitted)
  const orderId = opened.message.orderId as Hex
  const chain = context.chains.get(opened.sourceChainId)
  if (chain === undefined) throw invalid('sourceChainId')
  const known = chain.follower.latest()?.book.find(orderId)
  if (known) return { chain, order: known }
  const refused = await refusalOf(context.db, orderId)
  if (refused !== null) throw refused
  try {
    const funding = await prepare(context, chain, submitted, opened)
    return { chain, order: await send(context, chain, orderId, funding) }
  } catch (error) {
    if (error instanceof OrderError && isFinal(error)) {
      const order = await requestedBefore(context, chain, orderId)
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

/** Decrypts and verifies, which says on which chain the order is. What is signed here is never used. */
function open({ enclaves, settings }: OrdersContext, submitted: Submitted): Promise<Signed> {
  const deadline = settings.now() + FUNDING_SECONDS
  return enclaves[0].signFunding({ ...submitted, deadline }).catch(throwEnclaveProblem)
}

/** Permanent refusals: the owner has to encrypt a new order. */
function isFinal({ code }: OrderError): boolean {
  return code === 'FUNDING_FAILED' || code === 'VALIDATION_FAILED' || code === 'INVALID_SIGNATURE'
}

/** Checks what only the chain knows, has as many enclaves sign as the token asks for, and tries the call. */
async function prepare(
  context: OrdersContext,
  chain: ServedChain,
  submitted: Submitted,
  opened: Signed,
): Promise<Funding> {
  const deadline = await fundingDeadline(chain.follower, context.settings.now())
  const { quorum } = await checkFunding(context, chain, opened.message as OrderTerms, submitted)
  const judge = vaultSignatureJudge(context, chain, 'FundOrder', quorum)
  const { answer, signatures } = await collectSigned(context.enclaves, quorum, judge, (enclave) =>
    enclave.signFunding({ ...submitted, deadline }),
  ).catch(throwEnclaveProblem)
  const { orderId: _, ...terms } = answer.message
  const request = { terms: terms as OrderTerms, digestOffset: BigInt(answer.digestOffset) }
  const text: Hex = `0x${Buffer.from(submitted.message, 'utf8').toString('hex')}`
  const args = [request, submitted.encrypted, text, answer.ownerSignature, signatures] as const
  const call = { abi: orderVaultAbi, functionName: 'fundOrder', args } as const
  await onVault(
    chain,
    (client) =>
      client.simulateContract({ ...call, address: chain.vault, account: context.account }),
    () => 'it succeeds',
  )
  const funding = { to: chain.vault, data: encodeFunctionData(call), deadline }
  const { owner } = terms as OrderTerms
  const { fund: gas, close } = gasOfCalls({ bytes: sizeOf(submitted), quorum })
  const word = { owner, message: submitted.message, signature: answer.ownerSignature as Hex }
  const gasLimit = await fundingGasLimit(context, chain, { ...funding, ...word, gas })
  // For a contract owner, the limit on what its code may use.
  const gasRequest = { kind: 'fundOrder', gas: Number(gasLimit ?? gas), close } as const
  return { ...funding, owner, gasRequest, ...(gasLimit !== null && { gasLimit }) }
}

/**
 * The result of an earlier request for the same order, whose funding, not shown yet, would make a second
 * try fail. Null when there was none, or it failed.
 *
 * @throws OrderError while it is under way
 */
async function requestedBefore(
  context: OrdersContext,
  chain: ServedChain,
  orderId: Hex,
): Promise<OrderState | null> {
  const known = await findEffect(context, chain, { kind: 'fundOrder', orderId })
  if (known === null || (isOver(known) && !known.succeeded)) return null
  const { order, transaction } = await awaitOrder(context, chain, known.id, orderId, () => true)
  if (order !== null) return order
  if (transaction !== null && hasFailed(transaction)) return null
  throw fundingPending(orderId, transaction)
}

/** Requests the call if the service pays for it. */
async function request(
  context: OrdersContext,
  chain: ServedChain,
  orderId: Hex,
  { to, data, deadline, owner, gasRequest, gasLimit }: Funding,
): Promise<Transaction> {
  const requested = await requestWithinGasBudget(context, chain, {
    ...{ effect: { kind: 'fundOrder', orderId }, data, deadline, payer: owner, gasRequest },
    ...(gasLimit !== undefined && { gasLimit }),
  })
  if (typeof requested !== 'string') return requested
  throw gasNotPaid(requested, { to, data, deadline })
}

/** Sends the call and waits until the chain shows the order. */
async function send(
  context: OrdersContext,
  chain: ServedChain,
  orderId: Hex,
  funding: Funding,
): Promise<OrderState> {
  const { id } = await request(context, chain, orderId, funding)
  context.events.asked('fundOrder', chain.name, orderId)
  const { order, transaction } = await awaitOrder(context, chain, id, orderId, () => true)
  if (order !== null) return order
  if (transaction !== null && hasFailed(transaction)) {
    throw fundingFailed(transaction.problem ?? 'reverted', 'the transfer reverted')
  }
  if (transaction?.problem === 'OUT_OF_GAS') {
    throw new OrderError('OUT_OF_GAS', 'the service is out of gas: try again later')
  }
  throw fundingPending(orderId, transaction)
}

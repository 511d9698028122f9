import { encodeFunctionData } from 'viem'
import type { OrderTerms } from '../../../core/order/enclaveVaultMessages.ts'
import type { OrderState } from '../../../core/order/orderState.ts'
import { orderVaultAbi } from '../../../src/event/abi/orderVault.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { Header } from '../../chain/history/rpcSchemas.ts'
import { FORMER_ACCOUNT } from '../../chain/transactions/endFormerTransactions.ts'
import { isOver, type Transaction } from '../../chain/transactions/transactionRow.ts'
import type { ResponseOf } from '../../enclave/enclaveInterface.ts'
import { collectSignatures } from '../../quorum/collectSignatures.ts'
import { chooseFundingGasLimit } from '../gas/chooseFundingGasLimit.ts'
import type { GasRequest } from '../gas/decideGasPayment.ts'
import { estimateOrderCallGas, sizeOf } from '../gas/estimateOrderCallGas.ts'
import { requestWithinGasBudget } from '../gas/requestWithinGasBudget.ts'
import { OrderError } from '../orderError.ts'
import type { OrdersContext, ServedChain } from '../ordersContext.ts'
import type { Submitted } from '../ordersServiceTypes.ts'
import { findFundableUntil, findRecordedRefusal, recordRefusal } from '../refusedOrders.ts'
import { awaitOrderState } from './awaitOrderState.ts'
import { checkIsNew, checkIsNotMoved, checkOrderCanBeFunded } from './checkOrderCanBeFunded.ts'
import { chooseFundingDeadline, FUNDING_SECONDS } from './chooseFundingDeadline.ts'
import {
  createFundingPendingError,
  createGasNotPaidError,
  createNotFundedError,
} from './fundingErrors.ts'
import { queryVault } from './queryVault.ts'
import { findVaultCall } from './requestVaultCall.ts'
import { invalid, throwEnclaveProblem } from './throwEnclaveProblem.ts'
import { createVaultSignatureJudge } from './vaultSignatureJudge.ts'

type FundedOrder = { chain: ServedChain; order: OrderState }

type Signed = ResponseOf<'signFunding'>

/** A signed funding call whose simulation succeeded. */
type Funding = {
  to: Hex
  data: Hex
  deadline: number
  owner: Hex
  gasRequest: GasRequest
  gasLimit?: bigint
}

/**
 * Funds an order: one `transferFrom` of its owner to the vault. An order that is funded already is returned
 * unchanged.
 *
 * @throws OrderError
 */
export async function fundOrder(
  context: OrdersContext,
  submitted: Submitted,
): Promise<FundedOrder> {
  const verified = await verify(context, submitted)
  const orderId = verified.message.orderId as Hex
  const chain = context.chains.get(verified.sourceChainId)
  if (chain === undefined) throw invalid('sourceChainId')
  const known = chain.follower.latest()?.book.find(orderId)
  if (known) return { chain, order: known }
  const until = findFundableUntil(submitted.message, verified.message as OrderTerms)
  const keepRefused = ({ code }: OrderError) =>
    recordRefusal(context.db, { chainId: chain.chainId, orderId, code, until }, [
      // Before the first read of the chain, nothing is over.
      chain.follower.latest()?.head.timestamp ?? 0,
      context.settings.now(),
    ])
  const refusal = await findRecordedRefusal(context.db, orderId)
  if (refusal !== null) {
    await keepRefused(refusal)
    throw refusal
  }
  let isPrepared = false
  try {
    const funding = await prepare(context, chain, submitted, verified)
    isPrepared = true
    return { chain, order: await send(context, chain, orderId, funding) }
  } catch (error) {
    if (!(error instanceof OrderError)) throw error
    // The vault has an order that wasn’t read: its nodes may have hidden its funding.
    const isInVault = !isPrepared && error.code === 'FUNDING_PENDING'
    if (isInVault || isFinal(error)) {
      const order = await earlierResult(context, chain, orderId)
      if (order !== null) return { chain, order }
    }
    if (isFinal(error)) {
      // Anyone with the ciphertext can add a wrong signature, which must not refuse the order itself.
      if (error.code !== 'INVALID_SIGNATURE') {
        await checkIsNew(chain, orderId)
        await keepRefused(error)
      }
      context.events.refused(
        error.code,
        String(error.details?.field ?? error.details?.reason ?? ''),
      )
    }
    throw error
  }
}

/** Decrypts and verifies a submission, which names its chain. This signature is discarded. */
function verify({ enclaves, settings }: OrdersContext, submitted: Submitted): Promise<Signed> {
  const deadline = settings.now() + FUNDING_SECONDS
  return enclaves[0].signFunding({ ...submitted, deadline }).catch(throwEnclaveProblem)
}

/** Whether repeating the same request can't succeed. */
function isFinal({ code }: OrderError): boolean {
  return code === 'FUNDING_FAILED' || code === 'VALIDATION_FAILED' || code === 'INVALID_SIGNATURE'
}

/** Checks the order against its chain, collects the token's quorum of signatures, and simulates the call. */
async function prepare(
  context: OrdersContext,
  chain: ServedChain,
  submitted: Submitted,
  verified: Signed,
): Promise<Funding> {
  await checkIsNotMoved(context, chain, verified.message.orderId as Hex)
  const wake = ({ number: blockNumber, timestamp }: Header) =>
    context.wakeSilentChain({ chainId: chain.chainId, blockNumber, timestamp }, () => true)
  const deadline = await chooseFundingDeadline(chain.follower, context.settings.now(), wake)
  const { quorum } = await checkOrderCanBeFunded(
    context,
    chain,
    verified.message as OrderTerms & { orderId: Hex },
    submitted,
  )
  const judge = createVaultSignatureJudge(context, chain, 'FundOrder', quorum)
  const { answer, signatures } = await collectSignatures(context.enclaves, judge, (enclave) =>
    enclave.signFunding({ ...submitted, deadline }),
  ).catch(throwEnclaveProblem)
  const { orderId: _, ...terms } = answer.message
  const request = { terms: terms as OrderTerms, digestOffset: BigInt(answer.digestOffset) }
  const messageBytes: Hex = `0x${Buffer.from(submitted.message, 'utf8').toString('hex')}`
  const args = [
    request,
    submitted.encrypted,
    messageBytes,
    answer.ownerSignature,
    signatures,
  ] as const
  const call = { abi: orderVaultAbi, functionName: 'fundOrder', args } as const
  await queryVault(
    chain,
    (client) =>
      client.simulateContract({ ...call, address: chain.vault, account: context.account }),
    () => 'success',
  )
  const funding = {
    to: chain.vault,
    data: encodeFunctionData(call),
    deadline: Number(answer.message.deadline),
  }
  const { owner } = terms as OrderTerms
  const { fund: gas, close } = estimateOrderCallGas({ bytes: sizeOf(submitted), quorum })
  const signed = { owner, message: submitted.message, signature: answer.ownerSignature as Hex }
  const gasLimit = await chooseFundingGasLimit(context, chain, { ...funding, ...signed, gas })
  // A contract owner's code may use up to the limit.
  const gasRequest = { kind: 'fundOrder', gas: Number(gasLimit ?? gas), close } as const
  return { ...funding, owner, gasRequest, ...(gasLimit !== null && { gasLimit }) }
}

/**
 * The order from an earlier request, whose pending funding makes a second attempt fail. Null when there was none,
 * or it failed.
 *
 * @throws OrderError while it is pending
 */
async function earlierResult(
  context: OrdersContext,
  chain: ServedChain,
  orderId: Hex,
): Promise<OrderState | null> {
  const effect = { kind: 'fundOrder', orderId } as const
  const known = await findVaultCall({ ...context, account: null }, chain, effect)
  const hasEnded = (one: Transaction) =>
    isOver(one) && !one.succeeded && !mayStillFund(one, context.settings.now())
  if (known === null || hasEnded(known)) return null
  const { order, transaction } = await awaitOrderState(
    context,
    chain,
    known.id,
    orderId,
    () => true,
  )
  if (order !== null) return order
  if (transaction !== null && hasEnded(transaction)) return null
  throw createFundingPendingError(orderId, transaction)
}

/** Whether a funding that ended with its gas account can still be mined: it can until its deadline. */
function mayStillFund({ problem, changedAt }: Transaction, now: number): boolean {
  return problem === FORMER_ACCOUNT && now < Number(changedAt) / 1_000 + FUNDING_SECONDS
}

/** Requests the funding if the service pays for its gas. */
async function request(
  context: OrdersContext,
  chain: ServedChain,
  orderId: Hex,
  { to, data, deadline, owner, gasRequest, gasLimit }: Funding,
): Promise<Transaction> {
  const requested = await requestWithinGasBudget(context, chain, {
    effect: { kind: 'fundOrder', orderId },
    data,
    deadline,
    payer: owner,
    gasRequest,
    ...(gasLimit !== undefined && { gasLimit }),
  })
  if (typeof requested !== 'string') return requested
  throw createGasNotPaidError(requested, { to, data, deadline })
}

/** Sends the funding and waits until the chain shows the order. */
async function send(
  context: OrdersContext,
  chain: ServedChain,
  orderId: Hex,
  funding: Funding,
): Promise<OrderState> {
  const { id } = await request(context, chain, orderId, funding)
  context.events.requested('fundOrder', chain.name, orderId)
  const { order, transaction } = await awaitOrderState(context, chain, id, orderId, () => true)
  if (order !== null) return order
  throw createNotFundedError(orderId, transaction)
}

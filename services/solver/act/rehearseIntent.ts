import {
  type Address,
  concat,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  keccak256,
  numberToHex,
  sliceHex,
} from 'viem'
import { MAX_RECIPIENTS } from '../../../core/recoveryBlob/blobSize.ts'
import { shareOf } from '../../../src/money/bps.ts'
import { revertOf } from '../../chain/transactions/simulateCall.ts'
import type { SolverChain } from '../chain/solverChain.ts'
import { calculateDeliveryGas } from '../plan/deliveryGas.ts'
import type { IntentSnapshot } from '../plan/solverSnapshot.ts'
import { chainOf, type SolverContext } from '../solverContext.ts'
import { SolverError } from '../solverError.ts'
import { encodeDeliverCall } from './encodeDeliverCall.ts'
import type { Payees } from './fetchRecipients.ts'

/** Gas that the bridge hands to a token for a payment. */
const PUSH_GAS = 300_000n

/**
 * Rehearses what an intent needs of its tokens before we commit to it: our delivery, to as many new accounts as it may have
 * recipients and with the gas that we keep for it, and the bridge's payment to us. If a token is paused, blocks us or the
 * bridge, keeps a part of what it moves, or needs more gas, we would lose the bond or the amount, intent after intent.
 *
 * @throws SolverError `TOKEN_REFUSES` if most nodes say so
 */
export async function rehearseIntent(
  solver: Pick<SolverContext, 'account' | 'chains'>,
  intent: IntentSnapshot,
  amountB: bigint,
): Promise<void> {
  const us = solver.account.address
  const source = chainOf(solver, intent.sourceChainId)
  const destination = chainOf(solver, intent.destChainId)
  const endless = { ...intent, fillDeadline: Number.MAX_SAFE_INTEGER }
  const income = intent.amountA - shareOf(intent.amountA, intent.feeBps) + intent.reward
  const args = [us, income] as const
  await Promise.all([
    requireSuccess(destination, 'tokenB can’t be delivered', {
      account: us,
      to: destination.bridge,
      data: encodeDeliverCall(endless, inventPayees(intent, amountB)),
      gas: calculateDeliveryGas(intent.recipientClass),
    }),
    requireSuccess(source, 'the bridge can’t pay tokenA to this solver', {
      account: source.bridge,
      to: intent.tokenA,
      data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args }),
      gas: PUSH_GAS,
    }),
  ])
}

/**
 * Rehearses an approval: one that returns false would be mined, change nothing, and be sent again in each round.
 *
 * @throws SolverError `TOKEN_REFUSES` if most nodes say so
 */
export function rehearseApproval(
  { account, chains }: Pick<SolverContext, 'account' | 'chains'>,
  chainId: number,
  { to, data }: Pick<Call, 'to' | 'data'>,
): Promise<void> {
  const call = { account: account.address, to, data, gas: PUSH_GAS }
  return requireSuccess(chainOf({ chains }, chainId), `the token ${to} can’t be approved`, call)
}

type Call = { account: Address; to: Address; data: Hex; gas: bigint }

/** @throws SolverError `TOKEN_REFUSES` if most of the chain's nodes say that the call fails, or that the token returns false */
async function requireSuccess(chain: SolverChain, problem: string, call: Call): Promise<void> {
  const answers = await chain.queryAll(
    ({ client }) => findRefusal(client, call),
    (refusal) => String(refusal === null),
  )
  const refusals = answers.filter((refusal) => refusal !== null)
  // As with transactions, one of two nodes can't stop the solver.
  if (2 * refusals.length <= answers.length) return
  throw new SolverError('TOKEN_REFUSES', `${problem} on ${chain.name} now: ${refusals[0]}`)
}

/** Why the call fails at a node's latest block; null if it succeeds, or the node can't tell. */
async function findRefusal(client: SolverChain['client'], call: Call): Promise<string | null> {
  try {
    const { data = '0x' } = await client.call(call)
    return /^0x0+$/.test(data) ? 'the token returns false' : null
  } catch (error) {
    const reverted = revertOf(error)
    if (reverted !== null) return reverted.detail
    // Distinguishes a call that the node can't handle from an unreachable node.
    await client.getBlockNumber()
    return null
  }
}

/** As many new accounts as the intent may have recipients. */
function inventPayees({ paramsHash, recipientClass }: IntentSnapshot, amountB: bigint): Payees {
  const most = BigInt(Math.min(recipientClass, MAX_RECIPIENTS))
  const others = (most < amountB ? most : amountB) - 1n
  const amounts = [amountB - others, ...Array<bigint>(Number(others)).fill(1n)]
  const recipients = amounts.map((_, at) =>
    sliceHex(keccak256(concat([paramsHash, numberToHex(at)])), 12),
  )
  return { recipients, amounts }
}

import type { Address, Hex } from 'viem'
import { asSafeTransaction, multiSendCall } from '../../sdk/safe/multiSend.ts'
import {
  execTransactionCall,
  type SafeCall,
  safeTransactionDocument,
} from '../../sdk/safe/safeTransaction.ts'
import { transferCall } from '../../sdk/safe/transferCall.ts'
import type { SweptSafe } from './inspectSafe.ts'
import type { Holding } from './readHoldings.ts'

/** Safes in one transaction: 20 deployments and executions stay below the 16.7 million gas of EIP-7825. */
const SAFES_AT_ONCE = 20

/** A Safe out of which something is to be moved. */
type SafeToSweep = SweptSafe & {
  moved: readonly Holding[]
  /** What deploys it. */
  deployment: SafeCall
}

/** One transaction of the payer's, and the Safes that it empties. */
export type Batch = { safes: readonly SafeToSweep[]; call: SafeCall }

type BatchContext = { chainId: number; to: Address; multiSendCallOnly: Address }

/**
 * Signs each Safe's transaction and puts them together. A Safe that isn't there yet is deployed
 * right before its own; `MultiSendCallOnly` can be called by anybody, so all of it is one
 * transaction, of which everything happens or nothing.
 */
export async function composeBatches(
  context: BatchContext,
  safes: readonly SafeToSweep[],
): Promise<Batch[]> {
  const batches: Batch[] = []
  for (let at = 0; at < safes.length; at += SAFES_AT_ONCE) {
    const some = safes.slice(at, at + SAFES_AT_ONCE)
    const calls = (await Promise.all(some.map((safe) => callsOf(context, safe)))).flat()
    batches.push({ safes: some, call: asOneCall(context, calls) })
  }
  return batches
}

async function callsOf(context: BatchContext, safe: SafeToSweep): Promise<SafeCall[]> {
  const execution: SafeCall = {
    to: safe.safeAddress,
    value: 0n,
    data: await signedExecution(context, safe),
  }
  return safe.isDeployed ? [execution] : [safe.deployment, execution]
}

async function signedExecution(
  { chainId, to, multiSendCallOnly }: BatchContext,
  { owner, safeAddress, nonce, moved }: SafeToSweep,
): Promise<Hex> {
  const transfers = moved.map(({ token, amount }) => transferCall(token, to, amount))
  const transaction = asSafeTransaction(transfers, nonce, multiSendCallOnly)
  const document = safeTransactionDocument({ chainId, safeAddress }, transaction)
  return execTransactionCall(transaction, await owner.signTypedData(document))
}

function asOneCall({ multiSendCallOnly }: BatchContext, calls: readonly SafeCall[]): SafeCall {
  const [only, ...more] = calls
  if (only !== undefined && more.length === 0) return only
  return { to: multiSendCallOnly, value: 0n, data: multiSendCall(calls) }
}

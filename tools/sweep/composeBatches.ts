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

/** Safes per transaction: 20 deployments and executions stay below the 16.7 million gas of EIP-7825. */
const SAFES_PER_BATCH = 20

/** A Safe with something to move. */
type SafeToSweep = SweptSafe & {
  moved: readonly Holding[]
  /** What deploys it. */
  deployment: SafeCall
}

/** One of the payer's transactions, and the Safes it empties. */
export type Batch = { safes: readonly SafeToSweep[]; call: SafeCall }

type BatchContext = { chainId: number; to: Address; multiSendCallOnly: Address }

/**
 * Signs each Safe's transaction and batches them. A missing Safe is deployed right before its own transaction. Anyone can call
 * `MultiSendCallOnly`, so a batch is one transaction: all of it happens, or nothing.
 */
export async function composeBatches(
  context: BatchContext,
  safes: readonly SafeToSweep[],
): Promise<Batch[]> {
  const batches: Batch[] = []
  for (let at = 0; at < safes.length; at += SAFES_PER_BATCH) {
    const some = safes.slice(at, at + SAFES_PER_BATCH)
    const calls = (await Promise.all(some.map((safe) => composeCalls(context, safe)))).flat()
    batches.push({ safes: some, call: combineCalls(context, calls) })
  }
  return batches
}

async function composeCalls(context: BatchContext, safe: SafeToSweep): Promise<SafeCall[]> {
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

function combineCalls({ multiSendCallOnly }: BatchContext, calls: readonly SafeCall[]): SafeCall {
  const [only, ...more] = calls
  if (only !== undefined && more.length === 0) return only
  return { to: multiSendCallOnly, value: 0n, data: multiSendCall(calls) }
}

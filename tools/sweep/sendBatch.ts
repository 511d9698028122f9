import { formatEther, type Hash } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { findReason } from '../../services/chain/accountSender.ts'
import type { Batch } from './composeBatches.ts'
import type { SweepChain } from './connectChain.ts'
import { isUnreachable } from './contractAnswerOrNull.ts'
import { SweepError } from './sweepError.ts'

/** A batch's cost, from a simulation. */
type BatchCost = {
  gas: bigint
  maxFeePerGas: bigint
  /** Maximum in wei; a rollup's data fee is extra. */
  wei: bigint
}

type SentBatch = { hash: Hash; gasUsed: bigint }

/**
 * Simulates a batch.
 *
 * @throws SweepError `SIMULATION_FAILED`
 */
export async function priceBatch({ client }: SweepChain, { call }: Batch): Promise<BatchCost> {
  try {
    // Without a payer: `requireFunds` has a better message for one that can't pay.
    const needed = await client.estimateGas({ account: NOBODY, ...call })
    const gas = (needed * 6n) / 5n
    const { maxFeePerGas } = await client.estimateFeesPerGas()
    return { gas, maxFeePerGas, wei: gas * maxFeePerGas }
  } catch (error) {
    if (isUnreachable(error)) throw error
    throw new SweepError(
      'SIMULATION_FAILED',
      `the chain refuses the transaction (${findReason(error)}). Nothing was sent. If it found an unknown token, name the tokens you want with --token. If a Safe was used meanwhile, run this again`,
      { cause: error },
    )
  }
}

/** Requires that the payer can pay for all batches. Throws SweepError `NOT_ENOUGH_GAS`. */
export async function requireFunds(
  { client, name }: SweepChain,
  payer: PrivateKeyAccount,
  costs: readonly BatchCost[],
): Promise<void> {
  const needed = costs.reduce((sum, { wei }) => sum + wei, 0n)
  const balance = await client.getBalance({ address: payer.address })
  if (balance >= needed) return
  throw new SweepError(
    'NOT_ENOUGH_GAS',
    `${payer.address} holds ${formatEther(balance)} of ${name}'s currency, but gas may cost ${formatEther(needed)}: send it some, or name a funded account with --payer-file`,
  )
}

/**
 * Sends a batch and waits for its block.
 *
 * @throws SweepError `TRANSACTION_FAILED`
 */
export async function sendBatch(
  { client }: SweepChain,
  payer: PrivateKeyAccount,
  { call }: Batch,
  { gas }: BatchCost,
): Promise<SentBatch> {
  const request = await client.prepareTransactionRequest({ account: payer, ...call, gas })
  const serializedTransaction = await payer.signTransaction(request as never)
  const hash = await client.sendRawTransaction({ serializedTransaction })
  const receipt = await client.waitForTransactionReceipt({ hash, timeout: WAIT_MS })
  if (receipt.status === 'success') return { hash, gasUsed: receipt.gasUsed }
  throw new SweepError(
    'TRANSACTION_FAILED',
    `transaction ${hash} failed in block ${receipt.blockNumber}; everything is still in the Safes. Run this again`,
  )
}

/** An account nobody has the key of. */
const NOBODY = '0x0000000000000000000000000000000000000001'

const WAIT_MS = 600_000

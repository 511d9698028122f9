import { formatEther, formatGwei, type Hash, keccak256, type TransactionReceipt } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { waitForReceipt } from '../../sdk/client/waitForReceipt.ts'
import { mayHaveBeenSent } from '../../sdk/errors/toCairnError.ts'
import { findReason } from '../../services/chain/accountSender.ts'
import { findGasPriceCap } from '../../services/config/findGasPriceCap.ts'
import type { Batch } from './composeBatches.ts'
import type { SweepChain } from './connectChain.ts'
import { isUnreachable } from './contractAnswerOrNull.ts'
import { SweepError } from './sweepError.ts'

/** A batch's cost, from a simulation. */
type BatchCost = {
  gas: bigint
  /** Maximum in wei; a rollup's data fee is extra. */
  wei: bigint
}

export type SentBatch = { hash: Hash; gasUsed: bigint; block: bigint }

/**
 * Simulates a batch.
 *
 * @throws SweepError `SIMULATION_FAILED`, `GAS_TOO_DEAR`
 */
export async function priceBatch(chain: SweepChain, { call }: Batch): Promise<BatchCost> {
  const { client } = chain
  try {
    // Without a payer: `requireFunds` has a better message for one that can't pay.
    const needed = await client.estimateGas({ account: NOBODY, ...call })
    const gas = (needed * 6n) / 5n
    const { maxFeePerGas } = await readFees(chain)
    return { gas, wei: gas * maxFeePerGas }
  } catch (error) {
    throw simulationFailed(error)
  }
}

function simulationFailed(error: unknown): unknown {
  if (error instanceof SweepError || isUnreachable(error)) return error
  return new SweepError(
    'SIMULATION_FAILED',
    `the chain refuses the transaction (${findReason(error)}). It was not sent. If it found an unknown token, name the tokens you want with --token. If a Safe was used meanwhile, run this again`,
    { cause: error },
  )
}

/**
 * The fees that the node recommends. A false tip would cost the payer everything it holds, so there is a limit.
 *
 * @throws SweepError `GAS_TOO_DEAR`
 */
async function readFees({ client, chainId, host, maxFeePerGas: limit }: SweepChain) {
  const { maxFeePerGas, maxPriorityFeePerGas } = await client.estimateFeesPerGas()
  const most = limit ?? findGasPriceCap({ chainId })
  if (maxFeePerGas <= most) return { maxFeePerGas, maxPriorityFeePerGas }
  throw new SweepError(
    'GAS_TOO_DEAR',
    `${host} asks for ${formatGwei(maxFeePerGas)} gwei per gas, more than ${formatGwei(most)}. Ask another node; if this price is right, allow it with --max-fee-gwei`,
  )
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
 * Sends a batch at today's fees and waits for its block.
 *
 * @throws SweepError `SIMULATION_FAILED`, `TRANSACTION_FAILED`, `TRANSACTION_UNCONFIRMED`, `GAS_TOO_DEAR`
 */
export async function sendBatch(
  chain: SweepChain,
  payer: PrivateKeyAccount,
  { call }: Batch,
  { gas }: BatchCost,
): Promise<SentBatch> {
  const { client } = chain
  const fees = await readFees(chain)
  // Simulated as this payer, at this price: a hostile token may refuse only then, and the payer would pay for nothing each time.
  await client.call({ account: payer, ...call, ...fees, gas }).catch((error: unknown) => {
    throw simulationFailed(error)
  })
  const request = await client.prepareTransactionRequest({ account: payer, ...call, ...fees, gas })
  const serializedTransaction = await payer.signTransaction(request as never)
  // Computed here: the node could name another transaction.
  const hash = keccak256(serializedTransaction)
  await client.sendRawTransaction({ serializedTransaction }).catch((error: unknown) => {
    throw mayHaveBeenSent(error) ? unconfirmed(hash, error) : error
  })
  const receipt = await waitForOwnReceipt(chain, hash)
  const { status, gasUsed, blockNumber: block } = receipt
  if (status === 'success') return { hash, gasUsed, block }
  throw new SweepError(
    'TRANSACTION_FAILED',
    `transaction ${hash} failed in block ${block}; everything is still in the Safes. Run this again`,
  )
}

async function waitForOwnReceipt({ client }: SweepChain, hash: Hash): Promise<TransactionReceipt> {
  const waiting = waitForReceipt(client, { hash, timeout: WAIT_MS })
  const receipt = await waiting.catch((error: unknown) => {
    throw unconfirmed(hash, error)
  })
  // viem also returns the receipt of another transaction with this nonce, as when the payer's wallet has replaced this one.
  if (receipt.transactionHash !== hash) throw unconfirmed(hash, null)
  return receipt
}

function unconfirmed(hash: Hash, cause: unknown): SweepError {
  return new SweepError(
    'TRANSACTION_UNCONFIRMED',
    `the node doesn't show what became of transaction ${hash}. Look for it; once it is in a block, or dropped, run this again, which moves only what is still in the Safes`,
    { cause },
  )
}

/** An account nobody has the key of. */
const NOBODY = '0x0000000000000000000000000000000000000001'

const WAIT_MS = 600_000

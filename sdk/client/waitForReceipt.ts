import type { PublicClient, TransactionReceipt, WaitForTransactionReceiptParameters } from 'viem'
import { findViemError } from '../errors/findViemError.ts'
import { abortableSleep } from '../events/abortableSleep.ts'

const RETRY_MS = 3_000

/**
 * Waits for a transaction's block, as viem does, but for another 15 seconds where it gives up: behind a load balancer, one node
 * may have the block and another no receipt yet.
 *
 * @throws viem's error
 */
export async function waitForReceipt(
  client: Pick<PublicClient, 'waitForTransactionReceipt'>,
  options: WaitForTransactionReceiptParameters,
  retries = 5,
): Promise<TransactionReceipt> {
  return client.waitForTransactionReceipt(options).catch(async (error: unknown) => {
    const isBehind = findViemError(error, ['TransactionReceiptNotFoundError'])
    if (!retries || !isBehind) throw error
    await abortableSleep(RETRY_MS)
    return waitForReceipt(client, options, retries - 1)
  })
}

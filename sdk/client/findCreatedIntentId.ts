import { type Hex, keccak256, parseEventLogs, type TransactionReceipt } from 'viem'
import { bridgeIntentV2Abi } from '../../src/event/abi/bridgeIntentV2.ts'
import { CairnError } from '../errors/cairnError.ts'
import type { CairnChain } from './clientOptions.ts'

/**
 * The intent's id from the receipt: the contract's latest id may belong to another intent by now, and the receipt may be
 * of a replacement transaction.
 *
 * @param blobs keccak256 of the sealed recipients of each attempt
 */
export function findCreatedIntentId(
  receipt: TransactionReceipt,
  { bridge }: Pick<CairnChain, 'bridge'>,
  blobs: readonly Hex[],
): bigint {
  const logs = parseEventLogs({
    abi: bridgeIntentV2Abi,
    eventName: 'IntentCreated',
    logs: receipt.logs.filter(({ address }) => address.toLowerCase() === bridge.toLowerCase()),
  })
  const created = logs.find(({ args }) => blobs.includes(keccak256(args.encryptedBlob)))
  if (created !== undefined) return created.args.intentId
  const words =
    'the transaction, or the one that replaced it, didn’t create this intent: look at details.txHash'
  throw new CairnError('CONTRACT_REVERTED', words, {
    details: { txHash: receipt.transactionHash },
  })
}

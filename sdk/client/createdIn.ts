import { parseEventLogs, type TransactionReceipt } from 'viem'
import { bridgeIntentV2Abi } from '../../src/event/abi/bridgeIntentV2.ts'
import { CairnError } from '../errors/cairnError.ts'
import type { CairnChain } from './clientOptions.ts'

/** The id by the receipt: the contract's latest one may be somebody else's by now. */
export function createdIn(
  receipt: TransactionReceipt,
  { bridge }: Pick<CairnChain, 'bridge'>,
): bigint {
  const [created] = parseEventLogs({
    ...{ abi: bridgeIntentV2Abi, eventName: 'IntentCreated' },
    logs: receipt.logs.filter(({ address }) => address.toLowerCase() === bridge.toLowerCase()),
  })
  if (created !== undefined) return created.args.intentId
  throw new CairnError('CONTRACT_REVERTED', 'the transaction created no intent', {
    details: { txHash: receipt.transactionHash },
  })
}

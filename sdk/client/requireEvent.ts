import { parseEventLogs, type TransactionReceipt } from 'viem'
import { bridgeIntentV2Abi } from '../../core/abi/sdkBridgeIntentV2.ts'
import { CairnError } from '../errors/cairnError.ts'
import type { CairnChain } from './clientOptions.ts'

export type BridgeEvent = ReturnType<typeof parseEventLogs<typeof bridgeIntentV2Abi>>[number]

/**
 * The intent's id from the bridge's event that a transaction was sent for. Only the event shows that it did what it should: the
 * receipt may be of its replacement, and a smart account's transaction succeeds even if the call in it fails.
 *
 * @param effect a verb
 * @throws CairnError `CONTRACT_REVERTED` without the event
 */
export function requireEvent(
  { logs, transactionHash: txHash }: TransactionReceipt,
  { bridge }: Pick<CairnChain, 'bridge'>,
  isWanted: (event: BridgeEvent) => boolean,
  effect: string,
): bigint {
  const own = logs.filter(({ address }) => address.toLowerCase() === bridge.toLowerCase())
  const event = parseEventLogs({ abi: bridgeIntentV2Abi, logs: own }).find(isWanted)
  if (event !== undefined) return (event.args as { intentId: bigint }).intentId
  const words = `the transaction, or its replacement, didn’t ${effect} this intent: look at details.txHash`
  throw new CairnError('CONTRACT_REVERTED', words, { details: { txHash } })
}

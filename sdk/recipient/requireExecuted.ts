import {
  type Address,
  erc20Abi,
  type Hex,
  isAddressEqual,
  parseEventLogs,
  type TransactionReceipt,
} from 'viem'
import type { ChainClient } from '../client/clientOptions.ts'
import { CairnError } from '../errors/cairnError.ts'
import { findViemError } from '../errors/findViemError.ts'
import { abortableSleep } from '../events/abortableSleep.ts'

/** How long your node may lag behind the relayer's, or have errors. */
const SHOWN_WITHIN_MS = 60_000
const POLL_MS = 1_000

/** keccak256 of `ExecutionSuccess(bytes32,uint256)`: a Safe's event, with the hash that its owner signed as its topic. */
const EXECUTED: Hex = '0x442e715f626346e8c54381002da614f62bee8d27386535b2521ec8540898556e'

/** A Safe's transaction that a relayer says is mined. */
export type Execution = {
  safeAddress: Address
  /** What the Safe's owner signed. */
  safeTxHash: Hex
  /** The relayer's transaction. */
  txHash: Hex
  /** A block before the owner signed. A fake Safe may not use up its nonce, so an earlier withdrawal must not count again. */
  after: bigint
  /** The receiver. */
  to: Address
  /** Base units. */
  moved: readonly { token: Address; amount: bigint }[]
}

/**
 * Waits until the chain's own node shows that a Safe executed its owner's transaction, and that the tokens reached the receiver. The
 * relayer could say so falsely, and what it calls a Safe may be a contract of its own.
 *
 * @throws CairnError `RELAY_PROXY_REVERTED`; `ANSWER_INVALID` when the chain doesn't show it, and `RPC_UNREACHABLE` when its node
 *   doesn't say, for a minute
 */
export async function requireExecuted(client: ChainClient, execution: Execution): Promise<void> {
  const { txHash } = execution
  const details = { txHash }
  const givenUpAt = performance.now() + SHOWN_WITHIN_MS
  for (;;) {
    const found = await isExecuted(client, execution).catch((cause: unknown) => ({ cause }))
    if (found === true) return
    if (found === 'reverted') {
      const words = `transaction ${txHash} reverted: the tokens are still in the Safe, so sweep again`
      throw new CairnError('RELAY_PROXY_REVERTED', words, { details })
    }
    if (performance.now() >= givenUpAt) {
      const next =
        'sweep again, which moves only what is still in the Safe, or withdraw without the relayer'
      // Not another payment: whichever transaction is mined first, the Safe's nonce ends the other.
      if (typeof found === 'object') {
        const words = `the chain’s RPC doesn’t say whether ${txHash} emptied the Safe: ${next}`
        throw new CairnError('RPC_UNREACHABLE', words, { ...found, details })
      }
      const words = `the chain doesn’t show that ${txHash} moved the Safe’s tokens, as the relayer says: ${next}`
      throw new CairnError('ANSWER_INVALID', words, { retryable: true, details })
    }
    await abortableSleep(POLL_MS)
  }
}

async function isExecuted(
  client: ChainClient,
  execution: Execution,
): Promise<boolean | 'reverted'> {
  const { txHash, safeAddress, safeTxHash, after, moved } = execution
  const receipt = await client.getTransactionReceipt({ hash: txHash }).catch(nullIfUnknown)
  if (receipt === null) return false
  if (receipt.status === 'reverted') return 'reverted'
  if (receipt.blockNumber <= after || !hasExecuted(receipt, safeAddress, safeTxHash)) return false
  return moved.every((one) => hasArrived(receipt, execution, one))
}

/** Whether the token logged the transfer. Balances prove nothing: others may pay the Safe or the receiver meanwhile. */
function hasArrived(
  { logs }: TransactionReceipt,
  { safeAddress, to: receiver }: Execution,
  { token, amount }: Execution['moved'][number],
): boolean {
  const transfers = parseEventLogs({ abi: erc20Abi, eventName: 'Transfer', logs })
  return transfers.some(({ address, args: { from, to, value } }) => {
    const isBetween = isAddressEqual(from, safeAddress) && isAddressEqual(to, receiver)
    return isAddressEqual(address, token) && isBetween && value === amount
  })
}

function hasExecuted({ logs }: TransactionReceipt, safeAddress: Address, safeTxHash: Hex): boolean {
  return logs.some(({ address, topics: [event, hash] }) => {
    return isAddressEqual(address, safeAddress) && event === EXECUTED && hash === safeTxHash
  })
}

function nullIfUnknown(error: unknown): null {
  if (findViemError(error, ['TransactionReceiptNotFoundError'])) return null
  throw error
}

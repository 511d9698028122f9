import {
  type Address,
  concat,
  encodeFunctionData,
  encodePacked,
  type Hex,
  parseAbi,
  size,
} from 'viem'
import type { SafeCall, SafeTransaction } from './safeTransaction.ts'

const multiSendAbi = parseAbi(['function multiSend(bytes transactions) payable'])

/** Calldata of `multiSend`: all of the calls, or, when one of them fails, none. */
export function multiSendCall(calls: readonly SafeCall[]): Hex {
  const packed = calls.map(({ to, value, data }) =>
    encodePacked(
      ['uint8', 'address', 'uint256', 'uint256', 'bytes'],
      [0, to, value, BigInt(size(data)), data],
    ),
  )
  return encodeFunctionData({
    abi: multiSendAbi,
    functionName: 'multiSend',
    args: [concat(packed)],
  })
}

/**
 * One Safe transaction that makes all of these calls: the only one as it is, several through the
 * library that makes plain calls and nothing else.
 *
 * @param multiSendCallOnly address of `MultiSendCallOnly` 1.4.1
 * @throws RangeError when there is no call
 */
export function asSafeTransaction(
  calls: readonly SafeCall[],
  nonce: bigint,
  multiSendCallOnly: Address,
): SafeTransaction {
  const [only, ...more] = calls
  if (only === undefined) throw new RangeError('a Safe transaction needs at least one call')
  if (more.length === 0) return { ...only, operation: 0, nonce }
  return { to: multiSendCallOnly, value: 0n, data: multiSendCall(calls), operation: 1, nonce }
}

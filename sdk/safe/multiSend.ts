import { type Address, concat, encodeFunctionData, encodePacked, type Hex, size } from 'viem'
import { multiSendAbi } from '../../core/safe/safeAbi.ts'
import type { SafeCall, SafeTransaction } from './safeTransaction.ts'

/** `MultiSendCallOnly` 1.4.1 at the Safe project's address, the same on every chain it supports. */
export const MULTI_SEND_CALL_ONLY: Address = '0x9641d764fc13c8B624c04430C7356C1C7C8102e2'

/** Calldata for `multiSend`: makes all calls or, if one fails, none. */
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
 * One Safe transaction that makes all these calls: a single call directly, several through `MultiSendCallOnly`.
 *
 * @param nonce the Safe's nonce; 0 for its first transaction
 * @param multiSendCallOnly for a chain without the Safe project's deployment
 * @throws RangeError without calls
 */
export function asSafeTransaction(
  calls: readonly SafeCall[],
  nonce: bigint,
  multiSendCallOnly: Address = MULTI_SEND_CALL_ONLY,
): SafeTransaction {
  const [only, ...more] = calls
  if (only === undefined) throw new RangeError('a Safe transaction needs at least one call')
  if (more.length === 0) return { ...only, operation: 0, nonce }
  return { to: multiSendCallOnly, value: 0n, data: multiSendCall(calls), operation: 1, nonce }
}

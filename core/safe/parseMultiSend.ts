import { decodeFunctionData, encodeFunctionData, hexToBytes } from 'viem'
import { bytesToHex } from 'viem/utils'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import { multiSendAbi } from './safeAbi.ts'

/** One call inside a `multiSend`. */
type InnerCall = { operation: number; to: Hex; value: bigint; data: Hex }

/** Maximum number of calls in a batch. */
const MAX_CALLS = 64

/** Bytes before a call's data: operation, address, value, length. */
const HEAD = 1 + 20 + 32 + 32

/**
 * Parses the calls of `multiSend` calldata, in order. Null for anything but exactly one list of calls, since unreadable
 * data can't be checked.
 */
export function parseMultiSend(calldata: Hex): InnerCall[] | null {
  const packed = decodePackedCalls(calldata)
  if (packed === null) return null
  const bytes = hexToBytes(packed)
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const calls: InnerCall[] = []
  for (let at = 0; at < bytes.length; ) {
    if (at + HEAD > bytes.length || calls.length >= MAX_CALLS) return null
    const size = BigInt(bytesToHex(bytes.subarray(at + 53, at + 85)))
    const end = BigInt(at + HEAD) + size
    if (end > BigInt(bytes.length)) return null
    calls.push({
      operation: view.getUint8(at),
      to: bytesToHex(bytes.subarray(at + 1, at + 21)),
      value: BigInt(bytesToHex(bytes.subarray(at + 21, at + 53))),
      data: bytesToHex(bytes.subarray(at + HEAD, Number(end))),
    })
    at = Number(end)
  }
  return calls.length > 0 ? calls : null
}

function decodePackedCalls(calldata: Hex): Hex | null {
  try {
    const { args } = decodeFunctionData({ abi: multiSendAbi, data: calldata })
    // Only the standard encoding, so that nothing is hidden outside the list.
    const plain = encodeFunctionData({ abi: multiSendAbi, functionName: 'multiSend', args })
    return plain === calldata.toLowerCase() ? args[0] : null
  } catch {
    return null
  }
}

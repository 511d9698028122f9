import { bytesToHex, hexToBytes } from 'viem'
import { ProofError } from './proofError.ts'

/** An unsigned integer in RLP: big-endian without leading zeros, zero as no bytes. */
export function integerToBytes(value: bigint): Uint8Array {
  if (value === 0n) return new Uint8Array()
  return hexToBytes(`0x${value.toString(16)}`)
}

/** The reverse, of up to 8 bytes. @throws ProofError `RECEIPT_INVALID` for more */
export function integerFromBytes(bytes: Uint8Array): bigint {
  if (bytes.length > 8) throw new ProofError('RECEIPT_INVALID', 'an integer is too long')
  return bytes.length === 0 ? 0n : BigInt(bytesToHex(bytes))
}

import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { type Hex, hexToBytes } from 'viem'
import type { Transaction } from '../../chain/transactions/transactionRow.ts'

/** What a MAC covers: every part of a transaction that can move money, except its fees. */
export type MacCall = Pick<Transaction, 'kind' | 'chainId' | 'effect' | 'to' | 'data' | 'value'>

/** The key that authenticates a solver's requests, derived from its private key. */
export function deriveMacKey(privateKey: Hex): Uint8Array {
  const secret = hexToBytes(privateKey)
  return new Uint8Array(hkdfSync('sha256', secret, '', 'cairn solver transaction mac', 32))
}

/** HMAC-SHA256 of a call, as 64 hexadecimal digits. */
export function computeMac(
  key: Uint8Array,
  { kind, chainId, effect, to, data, value }: MacCall,
): string {
  const call = [kind, chainId, effect, to.toLowerCase(), data.toLowerCase(), String(value)]
  return createHmac('sha256', key).update(JSON.stringify(call)).digest('hex')
}

/** Compares in constant time. */
export function isMacOf(key: Uint8Array, call: MacCall, mac: string | null): boolean {
  const expected = Buffer.from(computeMac(key, call))
  const actual = Buffer.from(mac ?? '')
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}

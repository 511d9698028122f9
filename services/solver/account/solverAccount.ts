import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto'
import { decrypt } from 'eciesjs'
import { type Hex, hexToBigInt, hexToBytes, keccak256, sliceHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { SignTransaction } from '../../chain/transactions/senderContext.ts'
import type { Transaction } from '../../chain/transactions/transactionRow.ts'
import type { SealingPoint } from '../chain/readFunds.ts'

/** What the solver's private key is used for. The key itself never leaves this closure. */
export type SolverAccount = {
  /** Lower case. */
  address: Hex
  /** Signs calls that carry the account's MAC, and empty transfers to itself; rejects others with `TRANSACTION_NOT_AUTHENTIC`. */
  signTransaction: SignTransaction
  /** The MAC without which the account doesn't sign a call. */
  macOf(call: MacCall): string
  /** Whether it is the call's MAC. */
  isMacOf(call: MacCall, mac: string | null): boolean
  /** EIP-191. */
  signMessage(message: string): Promise<Hex>
  /** 65 bytes; recipients are sealed to it. */
  publicKey: Hex
  /** The public key as the bridge stores it. */
  sealingPoint: SealingPoint
  /** Decrypts what was sealed to the account's public key. */
  open(ciphertext: Hex): Uint8Array
}

/** @param privateKey 32 bytes */
export function createSolverAccount(privateKey: Hex): SolverAccount {
  const account = privateKeyToAccount(privateKey)
  const address = account.address.toLowerCase() as Hex
  const { publicKey } = account
  const key = deriveMacKey(privateKey)
  return {
    address,
    macOf: (call) => computeMac(key, call),
    isMacOf: (call, mac) => isMacOf(key, call, mac),
    publicKey,
    sealingPoint: {
      x: hexToBigInt(sliceHex(publicKey, 1, 33)),
      y: hexToBigInt(sliceHex(publicKey, 33, 65)),
    },
    signTransaction: async (transaction, { kind, effect, mac }) => {
      const { to, data, value } = transaction
      const isCancellation = to.toLowerCase() === address && data === '0x' && value === 0n
      if (!isCancellation && !isMacOf(key, { ...transaction, kind, effect }, mac))
        throw notAuthentic()
      const serialized = await account.signTransaction({ type: 'eip1559', ...transaction })
      return { serialized, hash: keccak256(serialized) }
    },
    signMessage: (message) => account.signMessage({ message }),
    open: (ciphertext) => decrypt(hexToBytes(privateKey), hexToBytes(ciphertext)),
  }
}

function notAuthentic(): Error {
  const message =
    'this solver did not request the call in its database: check who can write to the database'
  return Object.assign(new Error(message), { code: 'TRANSACTION_NOT_AUTHENTIC' })
}

/** What a MAC covers: every part of a transaction that can move money, except its fees. */
export type MacCall = Pick<Transaction, 'kind' | 'chainId' | 'effect' | 'to' | 'data' | 'value'>

/** The key that authenticates a solver's requests, derived from its private key. */
function deriveMacKey(privateKey: Hex): Uint8Array {
  const secret = hexToBytes(privateKey)
  return new Uint8Array(hkdfSync('sha256', secret, '', 'cairn solver transaction mac', 32))
}

/** HMAC-SHA256 of a call, as 64 hexadecimal digits. */
function computeMac(key: Uint8Array, { kind, chainId, effect, to, data, value }: MacCall): string {
  const call = [kind, chainId, effect, to.toLowerCase(), data.toLowerCase(), String(value)]
  return createHmac('sha256', key).update(JSON.stringify(call)).digest('hex')
}

/** Compares in constant time. */
function isMacOf(key: Uint8Array, call: MacCall, mac: string | null): boolean {
  const expected = Buffer.from(computeMac(key, call))
  const actual = Buffer.from(mac ?? '')
  return actual.length === expected.length && timingSafeEqual(actual, expected)
}

import { DEPOSIT_TYPE, isUntyped } from '../../../core/proof/receipt.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { quickKeccak } from '../../../src/event/quickKeccak.ts'

/** A receipt as a node returns it; any value may be wrong. */
type RawReceipt = Readonly<Record<string, unknown>>

/**
 * Whether a node's receipts of a block, in order, hash to the `receiptsRoot` of its header. That proves what they contain,
 * and that none is missing. It doesn't prove who sent the transactions, nor how they are named and the logs numbered.
 *
 * Works on hex digits, because a dense chain has millions of logs: `proveReceipts` takes ten times as long. Whatever isn't
 * a receipt of a known form gives false.
 */
export function receiptsMatchRoot(receipts: readonly RawReceipt[], receiptsRoot: unknown): boolean {
  try {
    const entries = receipts.map((receipt, at) => ({ key: keyOf(at), value: encode(receipt) }))
    const root = entries.length === 0 ? string('') : encodeNode(entries, 0)
    return hash(root) === receiptsRoot
  } catch {
    return false
  }
}

function encode(receipt: RawReceipt): string {
  const type = Number(receipt.type ?? 0)
  const logs = (receipt.logs as RawReceipt[]).map(({ address, topics, data }) =>
    list(bytes(address) + list((topics as unknown[]).map(bytes).join('')) + bytes(data)),
  )
  const { status, root, depositNonce, depositReceiptVersion: version } = receipt
  const outcome = isGiven(status) ? integer(status) : bytes(root)
  const isDeposit = type === DEPOSIT_TYPE && isGiven(version)
  const encoded = list(
    outcome +
      integer(receipt.cumulativeGasUsed) +
      bytes(receipt.logsBloom) +
      list(logs.join('')) +
      (isDeposit ? integer(depositNonce) + integer(version) : ''),
  )
  return isUntyped(type) ? encoded : evenHex(type) + encoded
}

const isGiven = (value: unknown) => value !== null && value !== undefined

type Entry = { key: string; value: string }

/** RLP of the trie's node over these entries, whose keys (in hex) share the first `depth` digits. */
function encodeNode(entries: readonly Entry[], depth: number): string {
  const { key: first, value } = entries[0] as Entry
  if (entries.length === 1) return list(path(first.slice(depth), true) + string(value))
  let shared = depth
  while (entries.every(({ key }) => key[shared] === first[shared])) shared += 1
  if (shared > depth) return list(path(first.slice(depth, shared), false) + child(entries, shared))
  const children = Array.from({ length: 16 }, (_, digit) => {
    const below = entries.filter(({ key }) => key[depth] === digit.toString(16))
    return below.length === 0 ? string('') : child(below, depth + 1)
  })
  // No key is the beginning of another, so a branch has no value of its own.
  return list(children.join('') + string(''))
}

/** A reference to a node. Every node is longer than 31 bytes, since a receipt is, so it is referred to by its hash. */
function child(entries: readonly Entry[], depth: number): string {
  return string(hash(encodeNode(entries, depth)).slice(2))
}

/** Part of a key, with its parity and whether the key ends there (Yellow Paper, appendix C). */
function path(digits: string, isEnd: boolean): string {
  const isOdd = digits.length % 2
  return string(`${(isEnd ? 2 : 0) + isOdd}${isOdd ? '' : '0'}${digits}`)
}

function keyOf(index: number): string {
  return string(index === 0 ? '' : evenHex(index))
}

// RLP in hex digits.

function string(digits: string): string {
  if (digits.length === 2 && digits < '80') return digits
  return prefix(0x80, digits) + digits
}

function list(items: string): string {
  return prefix(0xc0, items) + items
}

function prefix(base: number, digits: string): string {
  const length = digits.length / 2
  if (length < 56) return evenHex(base + length)
  const lengthDigits = evenHex(length)
  return evenHex(base + 55 + lengthDigits.length / 2) + lengthDigits
}

function bytes(value: unknown): string {
  return string(digitsOf(value))
}

function integer(value: unknown): string {
  const digits = digitsOf(value).replace(/^0+/, '')
  return string(digits.length % 2 ? `0${digits}` : digits)
}

function digitsOf(value: unknown): string {
  if (typeof value !== 'string' || !value.startsWith('0x')) throw new TypeError('not hex')
  return value.slice(2)
}

function evenHex(value: number): string {
  const digits = value.toString(16)
  return digits.length % 2 ? `0${digits}` : digits
}

const hash = (digits: string): Hex => quickKeccak(`0x${digits}`)

import { type NestedUint8Array, RLP } from '@ethereumjs/rlp'
import { bytesToHex } from 'viem'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import { encodeReceipt } from './encodeReceipt.ts'
import { integerFromBytes } from './integerBytes.ts'
import { ProofError } from './proofError.ts'
import { DEPOSIT_TYPE, RECEIPT_TYPES, type Receipt, type ReceiptLog } from './receipt.ts'

type Item = Uint8Array | NestedUint8Array

/**
 * Decodes a receipt of the receipts trie. Strict: a known type, exactly its fields with their lengths, in canonical RLP
 * with nothing after it.
 *
 * @throws ProofError `RECEIPT_TYPE_UNKNOWN` or `RECEIPT_INVALID`
 */
export function decodeReceipt(bytes: Uint8Array): Receipt {
  const first = bytes[0]
  if (first === undefined) throw invalid('it is empty')
  const typed = first < 0xc0
  const type = typed ? first : 0
  if (!RECEIPT_TYPES.has(type) || (typed && type === 0)) {
    throw new ProofError('RECEIPT_TYPE_UNKNOWN', `receipt type ${first} is unknown`)
  }
  const receipt = readFields(type, decodeList(typed ? bytes.subarray(1) : bytes))
  if (!sameBytes(encodeReceipt(receipt), bytes)) throw invalid('it is not in canonical form')
  return receipt
}

function decodeList(payload: Uint8Array): NestedUint8Array {
  let decoded: Item
  try {
    decoded = RLP.decode(payload)
  } catch (cause) {
    throw new ProofError('RECEIPT_INVALID', 'the receipt is not canonical RLP', { cause })
  }
  return listOf(decoded, 'the receipt')
}

function readFields(type: number, fields: NestedUint8Array): Receipt {
  const isDeposit = type === DEPOSIT_TYPE && fields.length === 6
  const [outcome, gas, bloom, logs, nonce, version] = fields
  return {
    type,
    outcome: readOutcome(bytesOf(outcome, 'its outcome')),
    cumulativeGasUsed: integerFromBytes(bytesOf(gas, 'its gas')),
    logsBloom: hexOf(bloom, 256, 'its bloom'),
    logs: listOf(logs, 'its logs').map(readLog),
    ...(isDeposit && {
      deposit: {
        nonce: integerFromBytes(bytesOf(nonce, 'its deposit nonce')),
        version: integerFromBytes(bytesOf(version, 'its deposit version')),
      },
    }),
  }
}

function readOutcome(bytes: Uint8Array): Hex {
  if (bytes.length === 0) return '0x0'
  if (bytes.length === 1) return '0x1'
  if (bytes.length === 32) return bytesToHex(bytes)
  throw invalid('its outcome is neither a status nor a state root')
}

function readLog(item: Item): ReceiptLog {
  const fields = listOf(item, 'a log')
  const topics = listOf(fields[1], 'topics')
  if (topics.length > 4) throw invalid(`a log has ${topics.length} topics`)
  return {
    address: hexOf(fields[0], 20, 'the address of a log'),
    topics: topics.map((topic) => hexOf(topic, 32, 'a topic')),
    data: bytesToHex(bytesOf(fields[2], 'the data of a log')),
  }
}

function listOf(item: Item | undefined, what: string): NestedUint8Array {
  if (!Array.isArray(item)) throw invalid(`${what} is not a list`)
  return item
}

function bytesOf(item: Item | undefined, what: string): Uint8Array {
  if (!(item instanceof Uint8Array)) throw invalid(`${what} is not a byte string`)
  return item
}

function hexOf(item: Item | undefined, length: number, what: string): Hex {
  const bytes = bytesOf(item, what)
  if (bytes.length !== length) throw invalid(`${what} has ${bytes.length} bytes`)
  return bytesToHex(bytes)
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at])
}

function invalid(reason: string): ProofError {
  return new ProofError('RECEIPT_INVALID', `the receipt can't be read: ${reason}`)
}

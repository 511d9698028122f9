import { type Hex, hexToBytes, type PublicClient } from 'viem'
import { revertOf } from '../transactions/simulateCall.ts'
import { toPrintableText } from './toPrintableText.ts'

/** A token's symbol, name and decimals; null for what is missing or unprintable. */
export type TokenMetadata = { symbol: string | null; name: string | null; decimals: number | null }

const SYMBOL_LIMIT = 32
const NAME_LIMIT = 64
/** With more decimals, every 256-bit amount is below one. */
const DECIMALS_LIMIT = 77
/** Longer results are ignored: an honest one has 96 or 128 bytes. */
const RESULT_LIMIT = 4_096
/** Enough for five thousand characters; the result of a contract that needs more is ignored. */
const GAS = 1_000_000n

const SELECTORS = { symbol: '0x95d89b41', name: '0x06fdde03', decimals: '0x313ce567' } as const

/**
 * Reads a token's symbol, name and decimals. A contract that reverts, or an address without one, has none.
 *
 * @throws if the chain's nodes don't answer
 */
export async function readTokenMetadata(
  client: Pick<PublicClient, 'request'>,
  address: Hex,
): Promise<TokenMetadata> {
  const read = (data: Hex) => call(client, address, data)
  const [symbol, name, decimals] = await Promise.all([
    read(SELECTORS.symbol),
    read(SELECTORS.name),
    read(SELECTORS.decimals),
  ])
  return {
    symbol: textIn(symbol, SYMBOL_LIMIT),
    name: textIn(name, NAME_LIMIT),
    decimals: decimalsIn(decimals),
  }
}

/** The result of a call; empty if the contract reverts. */
async function call(
  client: Pick<PublicClient, 'request'>,
  to: Hex,
  data: Hex,
): Promise<Uint8Array> {
  const request = { to, data, gas: `0x${GAS.toString(16)}` as Hex }
  try {
    const answer = await client.request({ method: 'eth_call', params: [request, 'latest'] })
    return answer.length > 2 + 2 * RESULT_LIMIT ? new Uint8Array() : hexToBytes(answer)
  } catch (error) {
    if (revertOf(error) !== null) return new Uint8Array()
    throw error
  }
}

/** Decodes an ABI string, or 32 bytes padded with zeros, which the oldest tokens return. */
function textIn(answer: Uint8Array, most: number): string | null {
  const bytes = answer.length === 32 ? answer : stringBytes(answer)
  const end = bytes.indexOf(0)
  const text = new TextDecoder().decode(end === -1 ? bytes : bytes.subarray(0, end))
  return toPrintableText(text, most)
}

function stringBytes(answer: Uint8Array): Uint8Array {
  const start = numberAt(answer, 0)
  const length = numberAt(answer, start)
  return answer.subarray(start + 32, start + 32 + length)
}

function decimalsIn(answer: Uint8Array): number | null {
  if (answer.length < 32) return null
  const decimals = numberAt(answer, 0)
  return decimals <= DECIMALS_LIMIT ? decimals : null
}

/** The word at an offset as a number; `RESULT_LIMIT`, which exceeds any offset, if it is large or missing. */
function numberAt(bytes: Uint8Array, offset: number): number {
  const word = bytes.subarray(offset, offset + 32)
  if (word.length < 32 || word.subarray(0, 28).some((byte) => byte !== 0)) return RESULT_LIMIT
  return new DataView(word.buffer, word.byteOffset + 28, 4).getUint32(0)
}

import { type Hex, hexToBytes, type PublicClient } from 'viem'
import { printableText } from './printableText.ts'

/** A token's own symbol, name and decimals; null for what it lacks or what can't be shown. */
export type TokenWords = { symbol: string | null; name: string | null; decimals: number | null }

const LONGEST_SYMBOL = 32
const LONGEST_NAME = 64
/** With more, an amount of 256 bits has no digit before its point. */
const MOST_DECIMALS = 77
/** A longer answer counts as none: an honest one has 96 or 128 bytes. */
const LONGEST_ANSWER = 4_096
/** Enough for five thousand characters; a contract that needs more gets no symbol. */
const GAS = 1_000_000n

const SELECTORS = { symbol: '0x95d89b41', name: '0x06fdde03', decimals: '0x313ce567' } as const

/**
 * Asks a token for its symbol, name and decimals.
 *
 * @throws when the chain's nodes don't answer; a contract that refuses, or an address without one, is an answer
 */
export async function readToken(
  client: Pick<PublicClient, 'request'>,
  address: Hex,
): Promise<TokenWords> {
  const ask = (data: Hex) => call(client, address, data)
  const [symbol, name, decimals] = await Promise.all([
    ask(SELECTORS.symbol),
    ask(SELECTORS.name),
    ask(SELECTORS.decimals),
  ])
  return {
    symbol: textIn(symbol, LONGEST_SYMBOL),
    name: textIn(name, LONGEST_NAME),
    decimals: decimalsIn(decimals),
  }
}

/** What a call returns; nothing when the contract reverts, which is an answer too. */
async function call(
  client: Pick<PublicClient, 'request'>,
  to: Hex,
  data: Hex,
): Promise<Uint8Array> {
  const request = { to, data, gas: `0x${GAS.toString(16)}` as Hex }
  try {
    const answer = await client.request({ method: 'eth_call', params: [request, 'latest'] })
    return answer.length > 2 + 2 * LONGEST_ANSWER ? new Uint8Array() : hexToBytes(answer)
  } catch (error) {
    if (isRevert(error)) return new Uint8Array()
    throw error
  }
}

/** Nodes report a revert by code 3, or by a word in their own server error. */
function isRevert(error: unknown): boolean {
  for (
    let one = error as { code?: unknown; message?: unknown; cause?: unknown } | undefined;
    one;
  ) {
    if (one.code === 3) return true
    if (
      typeof one.message === 'string' &&
      /revert|out ?of ?gas|invalid ?opcode|EVM error/i.test(one.message)
    )
      return true
    one = one.cause as typeof one
  }
  return false
}

/** An ABI string, or 32 bytes padded with zeros, as the oldest tokens answer. */
function textIn(answer: Uint8Array, most: number): string | null {
  const bytes = answer.length === 32 ? answer : stringBytes(answer)
  const end = bytes.indexOf(0)
  const text = new TextDecoder().decode(end === -1 ? bytes : bytes.subarray(0, end))
  return printableText(text, most)
}

function stringBytes(answer: Uint8Array): Uint8Array {
  const start = numberAt(answer, 0)
  const length = numberAt(answer, start)
  return answer.subarray(start + 32, start + 32 + length)
}

function decimalsIn(answer: Uint8Array): number | null {
  if (answer.length < 32) return null
  const decimals = numberAt(answer, 0)
  return decimals <= MOST_DECIMALS ? decimals : null
}

/** The word at an offset, as a number; more than any answer has if it is large, or not there. */
function numberAt(bytes: Uint8Array, offset: number): number {
  const word = bytes.subarray(offset, offset + 32)
  if (word.length < 32 || word.subarray(0, 28).some((byte) => byte !== 0)) return LONGEST_ANSWER
  return new DataView(word.buffer, word.byteOffset + 28, 4).getUint32(0)
}

import { concat, encodeAbiParameters, type Hex, pad, size, toHex } from 'viem'

const TRANSFER: Hex = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** Writes `Transfer(0, <first word of the call's data>, 1)` and stops. */
const ANNOUNCE = concat([
  '0x6001600052', // the amount
  '0x600035', // the first word: to
  '0x6000', // from
  '0x7f',
  TRANSFER,
  '0x60206000a300', // LOG3 of 32 bytes, STOP
])

/**
 * Code of a contract that pretends to be a token: it says that everybody holds `balance`, refuses
 * every transfer, and announces one to whoever is named by a call of 32 bytes.
 */
export function falseTokenCode(balance: bigint): Hex {
  const answer = concat([
    '0x5b7f', // JUMPDEST, PUSH32
    pad(toHex(balance), { size: 32 }),
    '0x60005260206000f3', // MSTORE, RETURN
  ])
  const answerAt = DISPATCH_SIZE + size(ANNOUNCE)
  const refusal: Hex = '0x5b60006000fd'
  return concat([dispatch(answerAt, answerAt + size(answer)), ANNOUNCE, answer, refusal])
}

/** Jumps by selector: `balanceOf` is answered, `transfer` is refused. */
function dispatch(answerAt: number, refuseAt: number): Hex {
  return concat([
    '0x60003560e01c', // selector
    '0x806370a0823114', // is it balanceOf?
    '0x60',
    toHex(answerAt, { size: 1 }),
    '0x57',
    '0x63a9059cbb14', // is it transfer?
    '0x60',
    toHex(refuseAt, { size: 1 }),
    '0x57',
  ])
}

const DISPATCH_SIZE = size(dispatch(0, 0))

/**
 * Code of a contract that answers every call with six megabytes, and announces a transfer to whoever is named by a call of 32
 * bytes.
 */
export const ENDLESS_TOKEN_CODE = concat([
  '0x3660201460' as Hex, // is the call 32 bytes long?
  '0x0e57',
  '0x63006000005ff3', // RETURN
  '0x5b',
  ANNOUNCE,
])

/** Code of a contract that refuses every call, in words of its choice. */
export function refusingCode(words: string): Hex {
  // Error(string)
  const data = concat(['0x08c379a0', encodeAbiParameters([{ type: 'string' }], [words])])
  // Copies what is behind these eleven bytes, and reverts with it.
  return concat(['0x60', toHex(size(data), { size: 1 }), '0x80600b6000396000fd', data])
}

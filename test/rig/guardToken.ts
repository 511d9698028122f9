import { type Address, concat, encodeErrorResult, type Hex, parseAbi, size, toHex } from 'viem'
import type { DevnetClient } from '../../devnet/devnetClient.ts'

/** Code in front of a token's own. It keeps nothing on the stack, and its jumps count from the code's beginning. */
type Guard = Hex

/** Reverts calls of one function, with a reason of up to 32 characters. */
export function refuse(selector: Hex, reason = ''): Guard {
  const abi = parseAbi(['error Error(string)'])
  const data = encodeErrorResult({ abi, errorName: 'Error', args: [reason] })
  const length = toHex(size(data), { size: 1 })
  return only(selector, (at) => {
    const code = (from: number) =>
      concat(['0x60', length, '0x60', toHex(from, { size: 1 }), '0x5f3960', length, '0x5ffd'])
    return concat([code(at + size(code(0))), data])
  })
}

/** Answers calls of one function with a number, and as many zeros as make up the words. */
export function answer(selector: Hex, value: number, words = 1): Guard {
  const length = toHex(32 * words, { size: 1 })
  return only(selector, () =>
    concat(['0x60', toHex(value, { size: 1 }), '0x5f5260', length, '0x5ff3']),
  )
}

/** @param code runs for this function only; given its place */
function only(selector: Hex, code: (at: number) => Hex): Guard {
  const test = concat(['0x5f3560e01c63', selector, '0x1415'])
  const at = size(test) + 3
  const body = code(at)
  return concat([test, '0x60', toHex(at + size(body), { size: 1 }), '0x57', body, '0x5b'])
}

/** Reverts calls of one function in this account's transactions. */
export function refuseOrigin(selector: Hex, account: Address): Guard {
  const test = concat(['0x3273', account, '0x1415'])
  return only(selector, (at) =>
    concat([test, '0x60', toHex(at + size(test) + 6, { size: 1 }), '0x575f5ffd5b']),
  )
}

/** An account whose code uses up whatever gas it gets. */
const BURNER: Address = '0x000000000000000000000000000000000000feed'

/** Makes every call cost so much more gas. */
export function burn(gas: number): Guard {
  return concat(['0x5f5f5f5f73', BURNER, '0x62', toHex(gas, { size: 3 }), '0xfa50'])
}

/**
 * Puts code in front of a token's own, as a proxy's new version does: its balances, allowances and constants stay.
 *
 * @returns a function that takes it away again
 */
export async function guardToken(
  client: DevnetClient,
  token: Address,
  guard: Guard,
): Promise<() => Promise<void>> {
  const code = await client.getCode({ address: token })
  if (code === undefined) throw new Error(`no token at ${token}`)
  const own = `0x${(BigInt(token) ^ 1n).toString(16).padStart(40, '0')}` as const
  await client.setCode({ address: own, bytecode: code })
  await client.setCode({ address: BURNER, bytecode: '0xfe' })
  const call = concat(['0x365f5f375f5f365f73', own, '0x5af43d5f5f3e60'])
  const end: Hex = '0x573d5ffd5b3d5ff3'
  const target = size(guard) + size(call) + 5
  await client.setCode({
    address: token,
    bytecode: concat([guard, call, toHex(target, { size: 1 }), end]),
  })
  return () => client.setCode({ address: token, bytecode: code })
}

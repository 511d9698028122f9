import { type Address, encodeFunctionData, erc20Abi } from 'viem'
import type { SafeCall } from './safeTransaction.ts'

/** Stands for the chain's native currency, in place of a token's address. */
export const NATIVE: Address = '0x0000000000000000000000000000000000000000'

/**
 * The call by which a Safe transfers tokens.
 *
 * @param token an ERC-20, or `NATIVE`
 * @param amount base units
 */
export function transferCall(token: Address, to: Address, amount: bigint): SafeCall {
  if (token === NATIVE) return { to, value: amount, data: '0x' }
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] })
  return { to: token, value: 0n, data }
}

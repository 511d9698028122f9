import { type Address, encodeFunctionData, type Hex, parseAbi } from 'viem'

const abi = parseAbi(['function mint(address to, uint256 amount)'])

/** Calldata of a devnet token's `mint`, which anyone may call. */
export function encodeMint(to: Address, amount: bigint): Hex {
  return encodeFunctionData({ abi, functionName: 'mint', args: [to, amount] })
}

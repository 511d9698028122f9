import { type Address, keccak256 } from 'viem'
import type { Artifacts } from '../../contracts/artifacts.ts'
import type { DevnetClient } from '../devnetClient.ts'

/** Permit2's address on every public chain. */
export const PERMIT2: Address = '0x000000000022D473030F116dDEE9F6B43aC78BA3'

/**
 * Sets Permit2's code at its canonical address, if it isn't there. Its creation code isn't published as a package, so its
 * deployment can't be replayed.
 */
export async function deployPermit2(client: DevnetClient, artifacts: Artifacts): Promise<void> {
  if (await client.getCode({ address: PERMIT2 })) return
  const { data: bytecode } = await client.call({ data: artifacts.DevnetPermit2.bytecode })
  if (!bytecode) throw new Error('the node returned no code for Permit2')
  await client.setCode({ address: PERMIT2, bytecode })
  const code = await client.getCode({ address: PERMIT2 })
  if (!code || keccak256(code) !== keccak256(bytecode))
    throw new Error('unexpected code at Permit2’s address')
}

import { type Address, encodeFunctionData } from 'viem'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import type { AccountSender } from '../../chain/accountSender.ts'
import type { DevnetClient } from '../devnetClient.ts'

/**
 * Gives the relayer role to this account, unless it has it. The bridge's address hangs on the account
 * that it is deployed with, so a new root keeps the address and rotates the role.
 */
export async function appointRelayer(
  client: DevnetClient,
  owner: AccountSender,
  bridge: Address,
  relayer: Address,
): Promise<void> {
  const contract = { address: bridge, abi: bridgeIntentV2Abi } as const
  const current = await client.readContract({ ...contract, functionName: 'relayer' })
  if (current.toLowerCase() === relayer.toLowerCase()) return
  const data = encodeFunctionData({
    abi: bridgeIntentV2Abi,
    functionName: 'rotateRelayer',
    args: [relayer],
  })
  await owner.execute({ to: bridge, data })
}

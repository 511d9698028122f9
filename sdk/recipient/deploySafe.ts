import type { Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { deploySafeMessage } from '../messages/deploySafeMessage.ts'
import type { RelayerClient } from '../relayer/relayerClient.ts'
import type { DeployedSafe, StealthEntry } from '../relayer/relayerResponses.ts'

/** Requests a Safe's deployment, signed by its stealth key. */
export async function deploySafe(
  { relayer }: { relayer: Pick<RelayerClient, 'deploySafe'> },
  { address: stealthAddress, chainId }: Pick<StealthEntry, 'address' | 'chainId'>,
  key: Hex,
): Promise<DeployedSafe> {
  const message = deploySafeMessage(stealthAddress, chainId)
  const signature = await privateKeyToAccount(key).signMessage({ message })
  return relayer.deploySafe({ stealthAddress, chainId, signature })
}

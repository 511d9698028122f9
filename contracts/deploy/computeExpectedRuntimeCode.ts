import type { Hex } from 'viem'
import type { ReadClient } from './deploymentSettings.ts'
import type { Step } from './listDeploymentSteps.ts'

/**
 * The runtime code, with immutables, that a step's creation code would leave at its address today: the node runs the
 * constructor as at deployment, in a state without the contract.
 *
 * @returns null when the node has no state overrides
 */
export async function computeExpectedRuntimeCode(
  client: ReadClient,
  { address, creator, creationCode }: Step,
): Promise<Hex | null> {
  try {
    if (creator === null) return (await client.call({ data: creationCode })).data ?? null
    const { data } = await client.call({
      account: creator,
      data: creationCode,
      stateOverride: [
        { address: creator, nonce: 1 },
        { address, code: '0x', nonce: 0, state: [] },
      ],
    })
    return data ?? null
  } catch {
    return null
  }
}

import { deriveDevnetAccounts } from '../../../devnet/accounts.ts'
import type { ResponseOf } from '../../../services/enclave/enclaveInterface.ts'
import { buildRootHandover } from '../../../services/enclave/handover/handoverMessages.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { OperatorApprovals } from '../../../tools/enclave/handoverCommands.ts'
import type { BridgeChain } from '../indexer/bridgePair.ts'

/** The chains with their registries, as the handover's commands take them. */
export function registriesOf(chains: readonly BridgeChain[]) {
  return chains.map(({ config, contracts }) => ({
    ...config,
    registry: contracts.registry.toLowerCase() as Hex,
  }))
}

/** Approvals of a request by this many operators of each registry. */
export async function signApprovals(
  chains: readonly BridgeChain[],
  { signer, transportKey }: ResponseOf<'requestRoot'>,
  count: number,
): Promise<OperatorApprovals> {
  const operators = deriveDevnetAccounts().operators.slice(0, count)
  const entries = registriesOf(chains).map(async ({ chainId, registry }) => {
    const typed = buildRootHandover({ chainId, registry }, { signer, transportKey })
    const signatures = operators.map((one) => one.signTypedData!(typed as never))
    const addresses = operators.map(({ address }) => address)
    return [chainId, { operators: addresses, signatures: await Promise.all(signatures) }]
  })
  return Object.fromEntries(await Promise.all(entries))
}

import type { Abi } from 'viem'
import type { Artifact, ContractName } from './artifacts.ts'

/** The contracts whose ABIs are committed as TypeScript, and where. */
export const committedAbis: { contract: ContractName; constant: string; path: string }[] = [
  {
    contract: 'BridgeIntentV2',
    constant: 'bridgeIntentV2Abi',
    path: 'src/event/abi/bridgeIntentV2.ts',
  },
  {
    contract: 'EnclaveKeyRegistry',
    constant: 'enclaveKeyRegistryAbi',
    path: 'core/abi/enclaveKeyRegistry.ts',
  },
  { contract: 'OrderVault', constant: 'orderVaultAbi', path: 'src/event/abi/orderVault.ts' },
  {
    contract: 'CreationGateway',
    constant: 'creationGatewayAbi',
    path: 'core/abi/creationGateway.ts',
  },
]

/**
 * The TypeScript source of one committed ABI: an `as const` array, one entry a line.
 *
 * @param constant name of the exported constant.
 * @param artifact the compiled contract.
 */
export function generateAbiSource(constant: string, artifact: Artifact): string {
  const entries = withoutInternalTypes(artifact.abi).map((entry) => `  ${JSON.stringify(entry)},`)
  return [
    '// Generated from contracts/src by `npm run generate:abi`. Do not edit.',
    `export const ${constant} = [`,
    ...entries,
    '] as const',
    '',
  ].join('\n')
}

/** Solidity's own type names change nothing for callers and would make every rename a diff. */
function withoutInternalTypes(abi: Abi): Abi {
  const text = JSON.stringify(abi, (key, value) => (key === 'internalType' ? undefined : value))
  return JSON.parse(text)
}

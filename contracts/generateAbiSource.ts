import type { Abi } from 'viem'
import type { Artifact, ContractName } from './artifacts.ts'

/** An ABI that is committed as TypeScript. */
export type CommittedAbi = {
  contract: ContractName
  /** Name of the exported constant. */
  constant: string
  path: string
  /** The functions and events that it has, beside all errors. Default: all. */
  only?: readonly string[]
}

export const committedAbis: CommittedAbi[] = [
  {
    contract: 'BridgeIntentV2',
    constant: 'bridgeIntentV2Abi',
    path: 'src/event/abi/bridgeIntentV2.ts',
  },
  {
    contract: 'BridgeIntentV2',
    constant: 'bridgeIntentV2Abi',
    path: 'core/abi/sdkBridgeIntentV2.ts',
    // All of it would take 1.4 kB more of the SDK's 60.
    only: [
      'MIN_AUCTION_DURATION',
      'PICKUP_WINDOW',
      'anchorIntent',
      'cancelIntent',
      'createIntent',
      'getIntent',
      'isDestinationListed',
      'refund',
      'revealRecipients',
      'tokenListing',
      'IntentCancelled',
      'IntentCreated',
      'IntentRefunded',
    ],
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

/** The TypeScript source of one committed ABI: an `as const` array, one entry a line. */
export function generateAbiSource(
  { constant, only }: Pick<CommittedAbi, 'constant' | 'only'>,
  artifact: Artifact,
): string {
  const entries = withoutInternalTypes(artifact.abi)
    .filter((entry) => only === undefined || entry.type === 'error' || isNamed(entry, only))
    .map((entry) => `  ${JSON.stringify(entry)},`)
  return [
    '// Generated from contracts/src by `npm run generate:abi`. Do not edit.',
    `export const ${constant} = [`,
    ...entries,
    '] as const',
    '',
  ].join('\n')
}

function isNamed(entry: Abi[number], names: readonly string[]): boolean {
  return 'name' in entry && names.includes(entry.name)
}

/** Solidity's own type names change nothing for callers and would make every rename a diff. */
function withoutInternalTypes(abi: Abi): Abi {
  const text = JSON.stringify(abi, (key, value) => (key === 'internalType' ? undefined : value))
  return JSON.parse(text)
}

import { type Address, concat, encodeAbiParameters, type Hex, keccak256, stringToHex } from 'viem'
import type { Artifact, ContractName } from '../../../contracts/artifacts.ts'
import type { DevnetAccounts } from '../accounts.ts'
import { TOKEN_SYMBOLS, type TokenSymbol } from '../tokens.ts'
import type { Windows } from '../windows.ts'
import { create2Address } from './create2.ts'

/** Where everything of ours is, on both chains alike. */
export type DevnetContracts = {
  bridge: Address
  registry: Address
  verifier: Address
  tokens: Record<TokenSymbol, Address>
  /** What creates them, in an order in which each finds what it needs. */
  initcodes: Hex[]
}

/** Identity of the development enclave's program. */
export const MEASUREMENT = keccak256(stringToHex('cairn development enclave'))

const TEN_YEARS = 315_360_000

export type Artifacts = Record<ContractName, Artifact>

/**
 * The contracts of a devnet with these accounts and windows. Addresses follow from code and
 * arguments alone, so they change when a contract does.
 */
export function devnetContracts(
  artifacts: Artifacts,
  accounts: DevnetAccounts,
  windows: Windows,
): DevnetContracts {
  const { deployer, relayer, treasury, quoting } = accounts
  const tokenCodes = TOKEN_SYMBOLS.map(
    (symbol) => [symbol, tokenInitcode(artifacts, symbol)] as const,
  )
  const verifierCode = initcode(
    artifacts.DevelopmentAttestationVerifier,
    ['address'],
    [quoting.address],
  )
  const verifier = create2Address(verifierCode)
  const registryCode = initcode(
    artifacts.EnclaveKeyRegistry,
    ['address', 'address', 'bool', 'uint32', 'bytes32[]'],
    [deployer.address, verifier, true, TEN_YEARS, [MEASUREMENT]],
  )
  const registry = create2Address(registryCode)
  const bridgeCode = initcode(
    artifacts.BridgeIntentV2,
    ['address', 'address', 'address', 'address', 'uint32', 'uint32', 'uint32'],
    [
      ...[deployer.address, relayer.address, treasury.address, registry],
      ...[windows.pickup, windows.execution, windows.grace],
    ],
  )
  return {
    bridge: create2Address(bridgeCode),
    registry,
    verifier,
    tokens: Object.fromEntries(
      tokenCodes.map(([symbol, code]) => [symbol, create2Address(code)]),
    ) as Record<TokenSymbol, Address>,
    initcodes: [...tokenCodes.map(([, code]) => code), verifierCode, registryCode, bridgeCode],
  }
}

function tokenInitcode(artifacts: Artifacts, symbol: TokenSymbol): Hex {
  const plain = (name: string, decimals: number) =>
    initcode(artifacts.DevnetToken, ['string', 'string', 'uint8'], [name, symbol, decimals])
  switch (symbol) {
    case 'USDC':
      return initcode(artifacts.DevnetUsdc)
    case 'USDT':
      return initcode(artifacts.DevnetUsdt)
    case 'WETH':
      return initcode(artifacts.DevnetWeth)
    case 'ZEN':
      return plain('Horizen', 18)
    case 'cBTC':
      return plain('Confidential Bitcoin', 8)
  }
}

function initcode({ bytecode }: Artifact, types: string[] = [], values: unknown[] = []): Hex {
  const inputs = types.map((type) => ({ type }))
  return concat([bytecode, encodeAbiParameters(inputs, values)])
}

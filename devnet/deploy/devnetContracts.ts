import { createHash } from 'node:crypto'
import { type Address, concat, encodeAbiParameters, type Hex, keccak256, stringToHex } from 'viem'
import type { Artifact, Artifacts } from '../../contracts/artifacts.ts'
import {
  computeDeploymentAddresses,
  type DeploymentAddresses,
} from '../../contracts/deploy/deploymentAddresses.ts'
import type { DevnetAccounts } from '../accounts.ts'
import { completeWindows, type Windows } from '../bridgeWindows.ts'
import { TOKEN_SYMBOLS, type TokenSymbol } from '../tokens.ts'
import { computeCreate2Address } from './create2.ts'

/** The contracts' addresses, the same on both chains, and their code. */
export type DevnetContracts = DeploymentAddresses & {
  tokens: Record<TokenSymbol, Address>
  /** Creates the tokens. */
  tokenInitcodes: Hex[]
  artifacts: Artifacts
  windows: Required<Windows>
  /** What the addresses depend on, besides the deployer. */
  salt: string
}

/** Measurement of the stand-in enclave. */
export const MEASUREMENT = keccak256(stringToHex('cairn development enclave'))

/**
 * The contracts of a devnet with these accounts and windows. Any change to the contracts changes their addresses: a devnet
 * that kept its chains deploys the new ones beside the old.
 */
export function buildDevnetContracts(
  artifacts: Artifacts,
  accounts: DevnetAccounts,
  windows: Windows,
): DevnetContracts {
  const all = completeWindows(windows)
  const codes = Object.values(artifacts).map(({ bytecode }) => bytecode)
  const salt = createHash('sha256')
    .update(JSON.stringify([codes, all]))
    .digest('hex')
  const tokenCodes = TOKEN_SYMBOLS.map(
    (symbol) => [symbol, tokenInitcode(artifacts, symbol)] as const,
  )
  return {
    ...computeDeploymentAddresses(accounts.deployer.address, salt),
    artifacts,
    salt,
    windows: all,
    tokens: Object.fromEntries(
      tokenCodes.map(([symbol, code]) => [symbol, computeCreate2Address(code)]),
    ) as Record<TokenSymbol, Address>,
    tokenInitcodes: tokenCodes.map(([, code]) => code),
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

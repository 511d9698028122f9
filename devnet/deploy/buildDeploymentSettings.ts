import type { Hex } from 'viem'
import {
  type DeploymentSettings,
  FORFEIT_RECEIVER,
} from '../../contracts/deploy/deploymentSettings.ts'
import type { DevnetAccounts } from '../accounts.ts'
import { TOKEN_SYMBOLS, worth } from '../tokens.ts'
import { PERMIT2 } from './deployPermit2.ts'
import { type DevnetContracts, MEASUREMENT } from './devnetContracts.ts'

/** Settings in which two deployments of the same contracts may differ. */
export type DeploymentChoices = {
  /** Programs that count as enclaves; default: the stand-in. */
  measurements?: readonly Hex[]
  /** Signatures required for each token's intents; default 1. */
  quorum?: number
}

/** Minimum and maximum escrow in cents: five dollars and two million. */
const LEAST = 500
const GREATEST = 200_000_000

/** Minimum amount the bridge accepts of any token, in base units. */
const LEAST_UNITS = 10_000n

const TEN_YEARS = 315_360_000

/** A devnet chain as the deployment program takes it. */
export function buildDeploymentSettings(
  contracts: DevnetContracts,
  accounts: DevnetAccounts,
  chainId: number,
  destinations: readonly number[],
  { measurements = [MEASUREMENT], quorum = 1 }: DeploymentChoices = {},
): DeploymentSettings {
  const { salt, windows, tokens } = contracts
  return {
    chainId,
    salt,
    deployer: accounts.deployer.address,
    owner: accounts.deployer.address,
    treasury: accounts.treasury.address,
    forfeitReceiver: FORFEIT_RECEIVER,
    windows: {
      minAuctionDuration: windows.minAuction,
      firmSeconds: windows.firm,
      pickupWindow: windows.pickup,
      executionWindow: windows.execution,
      settlementGrace: windows.grace,
      announcementDelay: windows.announcement,
    },
    tokens: TOKEN_SYMBOLS.map((symbol) => {
      const least = worth(symbol, LEAST)
      const minEscrow = least > LEAST_UNITS ? least : LEAST_UNITS
      return { token: tokens[symbol], minEscrow, maxEscrow: worth(symbol, GREATEST), quorum }
    }),
    destinations: [...destinations],
    registry: {
      verifier: { kind: 'development', quotingKey: accounts.quoting.address },
      operators: accounts.operators.map(({ address }) => address),
      measurements: [...measurements],
      keyLifetime: TEN_YEARS,
      activationDelay: 0,
      additionDelay: 0,
      acceptsDebug: true,
    },
    vault: { fundingWindow: 600, closeDelay: 86_400 },
    gateway: { permit2: PERMIT2, weth: tokens.WETH },
    confirmations: 2,
    blockSeconds: 1,
  }
}

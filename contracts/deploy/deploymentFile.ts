import { readFileSync } from 'node:fs'
import { type Address, getAddress, isAddress, zeroAddress } from 'viem'
import { z } from 'zod'
import { findChainId } from '../../core/chain/chainNames.ts'
import { readSecretFiles } from '../../services/config/readSecretFiles.ts'
import { type DeploymentSettings, FORFEIT_RECEIVER } from './deploymentSettings.ts'
import { findDeploymentProblems } from './findDeploymentProblems.ts'

/** A chain in a deployment file, with its node. */
type ConfiguredChain = { deployment: DeploymentSettings; rpcUrl: string }

/** All problems of a deployment file in one message. */
class DeploymentFileError extends Error {
  override name = 'DeploymentFileError'

  constructor(path: string, problems: readonly string[]) {
    super(`${path}:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`)
  }
}

const address = z
  .string()
  .refine(
    (text) => isAddress(text),
    'expected an address; in mixed case its checksum must be right',
  )
  .transform((text) => getAddress(text))
const bytes32 = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/, 'expected 0x and 64 hex digits')
  .transform((text) => text.toLowerCase() as `0x${string}`)
const amount = z
  .string()
  .regex(/^\d{1,29}$/, 'expected a decimal amount in base units')
  .transform(BigInt)
const seconds = z
  .int()
  .min(1)
  .max(2 ** 32 - 1)
const chainId = z.union([
  z.int().min(1),
  z
    .string()
    .refine((name) => findChainId(name) !== null, 'expected a chain id or a name of the protocol')
    .transform((name) => findChainId(name) as number),
])

const tokens = z
  .array(
    z.strictObject({
      token: address,
      minEscrow: amount,
      maxEscrow: amount,
      quorum: z.int().min(1).max(8).default(1),
    }),
  )
  .min(1, 'expected at least one token')

const windows = z.strictObject({
  minAuctionDuration: seconds.default(20),
  firmSeconds: seconds.default(30),
  pickupWindow: seconds.default(60),
  executionWindow: seconds.default(3_600),
  settlementGrace: seconds.default(259_200),
  announcementDelay: seconds.default(172_800),
})

const verifier = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('dcap'), upstream: address }),
  z.strictObject({ kind: z.literal('development'), quotingKey: address }),
])

const registry = z.strictObject({
  verifier,
  operators: z.array(address).min(1, 'expected at least one operator'),
  measurements: z.array(bytes32).min(1, 'expected at least one measurement'),
  keyLifetime: seconds.default(2_592_000),
  activationDelay: z
    .int()
    .min(0)
    .max(2 ** 32 - 1)
    .default(3_600),
  additionDelay: seconds.default(345_600),
  acceptsDebug: z.boolean().default(false),
})

const chain = z.strictObject({
  chain: chainId,
  rpcUrl: z.url({ protocol: /^https?$/, error: 'expected a URL that begins with http' }).optional(),
  owner: address,
  treasury: address,
  forfeitReceiver: address.default(FORFEIT_RECEIVER),
  windows: windows.prefault({}),
  tokens,
  destinations: z.array(chainId).min(1, 'expected at least one destination'),
  registry,
  vault: z
    .strictObject({ fundingWindow: seconds.default(600), closeDelay: seconds.default(86_400) })
    .prefault({}),
  gateway: z
    .strictObject({ permit2: address.default(zeroAddress), weth: address.default(zeroAddress) })
    .prefault({}),
  confirmations: z.int().min(0),
  blockSeconds: z.number().positive(),
  startBlock: z.int().min(0).optional(),
})

const file = z.strictObject({
  deployer: address,
  salt: z.string().min(1, 'expected a text, which determines the addresses'),
  chains: z.array(chain).min(1, 'expected at least one chain'),
})

/**
 * Reads and validates a deployment file. `common` holds what all chains share; a chain's own values take precedence, field
 * by field in `windows`, `registry`, `vault` and `gateway`.
 *
 * @param environment `RPC_URL_<chain id>` stands in for a chain's `rpcUrl`, so that keys in URLs stay out of the file
 * @throws DeploymentFileError with all problems at once; ConfigurationError for a secret's file
 */
export function readDeploymentFile(
  path: string,
  environment: NodeJS.ProcessEnv = process.env,
): ConfiguredChain[] {
  readSecretFiles(environment)
  const parsed = file.safeParse(withCommon(readJson(path)))
  if (!parsed.success) {
    const problems = parsed.error.issues.map(
      ({ path: place, message }) => `${place.join('.') || 'the file'}: ${message}`,
    )
    throw new DeploymentFileError(path, problems)
  }
  const { deployer, salt, chains } = parsed.data
  const problems: string[] = []
  const configured = chains.map(({ chain: id, rpcUrl, ...rest }) => {
    const deployment = { chainId: id, deployer: deployer as Address, salt, ...rest }
    const url = rpcUrl ?? environment[`RPC_URL_${id}`]
    if (url === undefined) problems.push(`chain ${id}: expected rpcUrl, or RPC_URL_${id} to be set`)
    problems.push(...findDeploymentProblems(deployment).map((problem) => `chain ${id}: ${problem}`))
    return { deployment, rpcUrl: url ?? '' }
  })
  const ids = chains.map(({ chain: id }) => id)
  if (new Set(ids).size < ids.length) problems.push('chains: expected each chain once')
  if (problems.length > 0) throw new DeploymentFileError(path, problems)
  return configured
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new DeploymentFileError(path, [error instanceof Error ? error.message : String(error)])
  }
}

type Fields = Record<string, unknown>

function withCommon(given: unknown): unknown {
  const { common, ...rest } = (given ?? {}) as Fields & { common?: Fields }
  if (common === undefined || !Array.isArray(rest.chains)) return rest
  return { ...rest, chains: rest.chains.map((own: Fields) => merge(common, own)) }
}

function merge(common: Fields, own: Fields): Fields {
  const merged: Fields = { ...common, ...own }
  for (const name of ['windows', 'registry', 'vault', 'gateway'])
    if (isFields(common[name]) && isFields(own[name]))
      merged[name] = { ...common[name], ...own[name] }
  return merged
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Abi, Hex } from 'viem'
import { withBuildLock } from './buildLock.ts'
import { forge } from './forge.ts'

/** Contracts that are deployed somewhere: the protocol's, the verifiers and the devnet's tokens. */
const contractNames = [
  'BridgeIntentV2',
  'EnclaveKeyRegistry',
  'OrderVault',
  'CreationGateway',
  'Create3Factory',
  'DcapAttestationVerifier',
  'DevelopmentAttestationVerifier',
  'DevnetPermit2',
  'DevnetToken',
  'DevnetUsdc',
  'DevnetUsdt',
  'DevnetWeth',
] as const

export type ContractName = (typeof contractNames)[number]
export type Artifact = { abi: Abi; bytecode: Hex }
export type Artifacts = Record<ContractName, Artifact>

const here = dirname(fileURLToPath(import.meta.url))
const out = join(here, 'out')
const lock = join(here, 'cache/build.lock')

/**
 * Compiles the contracts (not their tests) if anything changed, and reads what came out. Half a
 * minute of processor time cold, half a second warm; processes that start together compile once.
 * Works from any working directory.
 *
 * @returns ABI and creation bytecode by contract name.
 * @throws with the compiler's output if the contracts don't compile.
 */
export async function compileArtifacts(): Promise<Artifacts> {
  const built = await withBuildLock(lock, () => forge(['build', 'contracts/src']))
  if (built.exitCode !== 0) throw new Error(`contracts don't compile:\n${built.output}`)
  return readArtifacts()
}

/** What the compiler last wrote, whatever has changed since. */
export async function readArtifacts(): Promise<Artifacts> {
  const entries = await Promise.all(
    contractNames.map(async (name) => [name, await readArtifact(name)] as const),
  )
  return Object.fromEntries(entries) as Artifacts
}

async function readArtifact(name: ContractName): Promise<Artifact> {
  const json = JSON.parse(await readFile(join(out, `${name}.sol`, `${name}.json`), 'utf8'))
  return { abi: json.abi, bytecode: json.bytecode.object }
}

import { createHash } from 'node:crypto'
import { glob, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
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

/** What `npm run generate:abi` last compiled: a first `npm start` needs no compiler. A test compiles the same. */
const committed = join(here, 'compiled.json')

type Committed = { inputs: string; artifacts: Artifacts }

/**
 * The committed artifacts if the sources, the compiler and its settings are still those that made them; otherwise
 * compiles. For development only: what holds funds is compiled where it is deployed from.
 */
export async function loadArtifacts(): Promise<Artifacts> {
  return (await readCommittedArtifacts()) ?? compileArtifacts()
}

/** Null if something has changed since they were compiled. */
export async function readCommittedArtifacts(): Promise<Artifacts | null> {
  const { inputs, artifacts }: Committed = JSON.parse(await readFile(committed, 'utf8'))
  return inputs === (await hashInputs()) ? artifacts : null
}

/** Replaces the committed artifacts. */
export async function commitArtifacts(artifacts: Artifacts): Promise<void> {
  const lines = Object.entries(artifacts).map(
    ([name, { abi, bytecode }]) => `"${name}": ${JSON.stringify({ abi, bytecode })}`,
  )
  const inputs = JSON.stringify(await hashInputs())
  await writeFile(committed, `{"inputs": ${inputs}, "artifacts": {\n${lines.join(',\n')}\n}}\n`)
}

/** A hash of everything that determines what the compiler writes. */
async function hashInputs(): Promise<string> {
  const hash = createHash('sha256')
  const require = createRequire(import.meta.url)
  for (const name of ['solc', '@openzeppelin/contracts'])
    hash.update(`${require(`${name}/package.json`).version}\0`)
  const sources: string[] = []
  for await (const path of glob('src/**/*.sol', { cwd: here })) sources.push(path)
  for (const name of [...sources.toSorted(), '../foundry.toml', 'solc'])
    hash.update(`${name}\0`).update(await readFile(join(here, name)))
  return hash.digest('hex')
}

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

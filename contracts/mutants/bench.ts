import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ForgeResult, forge } from '../forge.ts'
import { linkTests } from './linkTests.ts'

const projectRoot = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** Unoptimised, because compiling is most of a trial; a small campaign; no gas figures. */
const environment = {
  FOUNDRY_PROFILE: 'quick',
  FOUNDRY_OPTIMIZER: 'false',
  FORGE_SNAPSHOT_EMIT: 'false',
  // A planted bug may leave a variable unused.
  FOUNDRY_DENY: 'never',
}

/**
 * Private copies of the contracts in which bugs can be planted; the working tree is never touched.
 * In `linked`, tests load the contracts' bytecode when they run, so that a planted bug needs one
 * contract compiled anew and no test. `whole` is as the working tree.
 */
export type Bench = { linked: string; whole: string }

/** Copies the contracts into a temporary directory that shares only node_modules. */
export async function setUpBench(): Promise<Bench> {
  const root = await mkdtemp(join(tmpdir(), 'cairn-mutants-'))
  const bench = { linked: join(root, 'linked'), whole: join(root, 'whole') }
  await copyContracts(bench.linked)
  await copyContracts(bench.whole)
  await linkTests(bench.linked, environment)
  return bench
}

export async function clearBench(bench: Bench): Promise<void> {
  await rm(dirname(bench.linked), { recursive: true, force: true })
}

/** Runs forge's tests in one of a bench's copies. */
export async function runTests(root: string, args: readonly string[]): Promise<ForgeResult> {
  return await forge(['test', '--fail-fast', ...args], { root, env: environment })
}

async function copyContracts(root: string): Promise<void> {
  await mkdir(join(root, 'contracts'), { recursive: true })
  for (const path of ['contracts/src', 'contracts/test', 'contracts/solc', 'foundry.toml']) {
    await cp(join(projectRoot, path), join(root, path), { recursive: true })
  }
  await writeFile(join(root, 'package.json'), '{ "type": "module" }\n')
  await symlink(join(projectRoot, 'node_modules'), join(root, 'node_modules'), 'dir')
}

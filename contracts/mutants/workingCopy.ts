import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compileArtifacts } from '../artifacts.ts'
import { type ForgeResult, forge } from '../forge.ts'

const projectRoot = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** No gas figures. */
const environment = {
  FORGE_SNAPSHOT_EMIT: 'false',
  // A planted bug may leave a variable unused.
  FOUNDRY_DENY: 'never',
  // It is enough that a test fails; shrinking the counterexample would cost more than all the rest.
  FOUNDRY_INVARIANT_SHRINK_RUN_LIMIT: '0',
}

const copied = ['src', 'test', 'out', 'solc', 'test-out', 'test-cache']
/**
 * Packages with sources, copied too: through a symbolic link their paths would differ from the cache's, and every run
 * would recompile everything.
 */
const sources = [
  'node_modules/@openzeppelin/contracts',
  'node_modules/@layerzerolabs/toolbox-foundry/lib/forge-std',
]

/** A private copy of the contracts to plant bugs in; the working tree is never touched. */
export type WorkingCopy = { root: string }

/** Copies the contracts and their imports into a temporary directory that shares only the compiler. */
export async function createWorkingCopy(): Promise<WorkingCopy> {
  await compileArtifacts()
  const root = await mkdtemp(join(tmpdir(), 'cairn-mutants-'))
  await mkdir(join(root, 'contracts'))
  await cp(join(projectRoot, 'foundry.toml'), join(root, 'foundry.toml'))
  for (const name of copied) {
    const from = join(projectRoot, 'contracts', name)
    if (existsSync(from)) await cp(from, join(root, 'contracts', name), { recursive: true })
  }
  await writeFile(join(root, 'package.json'), '{ "type": "module" }\n')
  for (const path of sources)
    await cp(join(projectRoot, path), join(root, path), { recursive: true })
  await symlink(join(projectRoot, 'node_modules/solc'), join(root, 'node_modules/solc'), 'dir')
  return { root }
}

export async function removeWorkingCopy(copy: WorkingCopy): Promise<void> {
  await rm(copy.root, { recursive: true, force: true })
}

/** Runs forge's tests on a copy: `quick` has a small campaign, `test` the one of `npm test`. */
export async function runTests(
  { root }: WorkingCopy,
  profile: 'quick' | 'test',
  args: readonly string[],
): Promise<ForgeResult> {
  const env = { ...environment, FOUNDRY_PROFILE: profile }
  return await forge(['test', '--fail-fast', ...args], { root, env })
}

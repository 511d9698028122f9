import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { forge } from '../forge.ts'
import type { Mutation } from './mutation.ts'

const projectRoot = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** Unoptimised, because compiling is most of a trial; a small campaign; no gas figures. */
const environment = {
  FOUNDRY_PROFILE: 'quick',
  FOUNDRY_OPTIMIZER: 'false',
  FORGE_SNAPSHOT_EMIT: 'false',
  // A planted bug may leave a variable unused.
  FOUNDRY_DENY: 'never',
}
const campaigns = 'testFuzz|invariant|randomSteps'
/** Likely killers first: unit tests in a second, then fuzzing and the campaign. */
export const wholeSuite = [
  ['test', '--fail-fast', '--no-match-contract', 'GasTest', '--no-match-test', campaigns],
  ['test', '--fail-fast', '--no-match-contract', 'GasTest', '--match-test', campaigns],
]
/** The two-bridge campaign by itself. */
export const campaignSuite = [['test', '--fail-fast', '--match-contract', 'BridgeInvariantsTest']]

export type Suite = readonly string[][]
export type Verdict =
  | { outcome: 'killed'; by: string }
  | { outcome: 'survived' }
  | { outcome: 'invalid'; why: string }

/** A private copy of the contracts in which bugs can be planted; the working tree is never touched. */
export type Bench = { root: string }

/** Copies the contracts into a temporary directory that shares only node_modules. */
export async function setUpBench(): Promise<Bench> {
  const root = await mkdtemp(join(tmpdir(), 'cairn-mutants-'))
  await mkdir(join(root, 'contracts'))
  for (const path of ['contracts/src', 'contracts/test', 'contracts/solc', 'foundry.toml']) {
    await cp(join(projectRoot, path), join(root, path), { recursive: true })
  }
  await writeFile(join(root, 'package.json'), '{ "type": "module" }\n')
  await symlink(join(projectRoot, 'node_modules'), join(root, 'node_modules'), 'dir')
  return { root }
}

export async function clearBench(bench: Bench): Promise<void> {
  await rm(bench.root, { recursive: true, force: true })
}

/** Runs the unchanged suite: a mutant killed by a red suite would mean nothing. */
export async function tryUnchanged(bench: Bench, suite: Suite): Promise<Verdict> {
  return await runSuite(bench, suite)
}

/** Plants one mutation, runs the suite, and takes the mutation out again. */
export async function tryMutation(
  bench: Bench,
  mutation: Mutation,
  suite: Suite,
): Promise<Verdict> {
  const path = join(bench.root, 'contracts/src', mutation.file)
  const original = await readFile(path, 'utf8')
  const occurrences = original.split(mutation.find).length - 1
  if (occurrences !== 1) {
    return { outcome: 'invalid', why: `the text to replace occurs ${occurrences} times` }
  }
  await writeFile(
    path,
    original.replace(mutation.find, () => mutation.replace),
  )
  try {
    return await runSuite(bench, suite)
  } finally {
    await writeFile(path, original)
  }
}

async function runSuite(bench: Bench, suite: Suite): Promise<Verdict> {
  for (const args of suite) {
    const { exitCode, output } = await forge(args, { root: bench.root, env: environment })
    if (exitCode === 0) continue
    const failure = output.match(/^\[FAIL.*\] (\w+)\(/m)
    if (failure !== null) return { outcome: 'killed', by: failure[1] ?? 'a test' }
    return { outcome: 'invalid', why: output.trim().split('\n').slice(-12).join(' | ') }
  }
  return { outcome: 'survived' }
}

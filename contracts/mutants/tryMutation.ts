import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ForgeResult } from '../forge.ts'
import { chooseLikelyTests } from './chooseLikelyTests.ts'
import { compileMutant } from './compileMutant.ts'
import type { Mutation } from './mutation.ts'
import { runTests, type WorkingCopy } from './workingCopy.ts'

const notGas = ['--no-match-contract', 'GasTest']
const campaigns = 'testFuzz|invariant|randomSteps'
const noCampaigns = [...notGas, '--no-match-test', campaigns]
/** Unit tests, which take seconds, then fuzzing and the campaign. */
export const wholeSuite: Suite = {
  profile: 'quick',
  runs: [noCampaigns, [...notGas, '--match-test', campaigns]],
}
/** The two-bridge campaign alone, as long as in `npm test`. */
export const campaignSuite: Suite = {
  profile: 'test',
  runs: [['--match-contract', 'BridgeInvariantsTest', '--match-test', 'invariant']],
}

/** Forge runs to make in sequence, by their arguments. */
type Suite = { profile: 'quick' | 'test'; runs: readonly (readonly string[])[] }
export type Verdict =
  | { outcome: 'killed'; by: string; in: string }
  | { outcome: 'survived' }
  | { outcome: 'invalid'; why: string }

/** Runs the unchanged suite: a kill by a suite that fails anyway would mean nothing. */
export async function tryUnchanged(copy: WorkingCopy, suite: Suite): Promise<Verdict> {
  return await runSuite(copy, suite)
}

/**
 * Plants a mutation, runs the suite, and removes the mutation. At first only the contract is compiled with it, since tests
 * load contracts at run time. If it survives, it is planted in the source too: some tests contain a library or an
 * abstract contract themselves.
 */
export async function tryMutation(
  copy: WorkingCopy,
  mutation: Mutation,
  suite: Suite,
): Promise<Verdict> {
  const path = `contracts/src/${mutation.file}`
  const original = await readFile(join(copy.root, path), 'utf8')
  const occurrences = original.split(mutation.find).length - 1
  if (occurrences !== 1) {
    return { outcome: 'invalid', why: `the text to replace occurs ${occurrences} times` }
  }
  const mutated = original.replace(mutation.find, () => mutation.replace)
  const compiled = await compileMutant(copy.root, path, mutated)
  if ('errors' in compiled) return { outcome: 'invalid', why: compiled.errors }
  const likely = suite === wholeSuite ? chooseLikelyTests(mutation.file) : undefined
  const first = likely === undefined ? [] : [[...likely, ...noCampaigns]]
  try {
    const verdict = await runSuite(copy, { ...suite, runs: [...first, ...suite.runs] })
    if (verdict.outcome !== 'survived') return verdict
    await writeFile(join(copy.root, path), mutated)
    return await runSuite(copy, suite)
  } finally {
    await writeFile(join(copy.root, path), original)
    await compiled.undo()
  }
}

async function runSuite(copy: WorkingCopy, suite: Suite): Promise<Verdict> {
  for (const args of suite.runs) {
    const result = await runTests(copy, suite.profile, args)
    if (result.exitCode !== 0) return verdictOf(result)
  }
  return { outcome: 'survived' }
}

/** The first failed test and its file; without one, the run itself failed. */
function verdictOf({ output }: ForgeResult): Verdict {
  let suite = ''
  for (const line of output.split('\n')) {
    suite = line.match(/^Ran \d+ tests? for (\S+\.sol):/)?.[1] ?? suite
    const failure = line.match(/^\[FAIL(?:: ([^;\]]*))?.*\] (\w+)\(/)
    if (failure === null) continue
    const [, reason = 'no reason', test = 'a test'] = failure
    return { outcome: 'killed', by: `${test}: ${reason}`, in: suite }
  }
  return { outcome: 'invalid', why: output.trim().split('\n').slice(-12).join(' | ') }
}

/** `npm run test:mutants`. */
import { readOptions } from '../script/readOptions.ts'
import { acceptedSurvivors } from './acceptedSurvivors.ts'
import { attestationListMutations } from './attestationListMutations.ts'
import { attestationRegistryMutations } from './attestationRegistryMutations.ts'
import { attestationVerifierMutations } from './attestationVerifierMutations.ts'
import { intentCreationMutations } from './intentCreationMutations.ts'
import { cacheKill, readCachedKills } from './killCache.ts'
import { lifecycleMutations } from './lifecycleMutations.ts'
import type { Mutation } from './mutation.ts'
import { paymentMutations } from './paymentMutations.ts'
import { peripheryMutations } from './peripheryMutations.ts'
import {
  campaignSuite,
  tryMutation,
  tryUnchanged,
  type Verdict,
  wholeSuite,
} from './tryMutation.ts'
import { twoBridgeCampaignMutations } from './twoBridgeCampaignMutations.ts'
import { vaultMutations } from './vaultMutations.ts'
import { createWorkingCopy, removeWorkingCopy, type WorkingCopy } from './workingCopy.ts'

const leastKilled = 0.98
const USAGE = `npm run test:mutants -- [options]

Plants each listed bug in a copy of the contracts and reports how many the suite catches. Exits 1 if a mutant survives
that acceptedSurvivors.ts doesn't explain, if an explained one is caught, or if fewer than 98 % are killed.

  --campaign        plant semantic bugs and run the two-bridge campaign alone: all must die
  --only <pattern>  try only mutations whose "file: label" matches the regular expression
  --jobs <n>        how many in parallel (default 2)
  --again           ignore kills of earlier runs, which otherwise count while test, contracts and mutation are
                    unchanged, so that an interrupted run resumes
  --help            print this`

const values = readOptions({
  campaign: { type: 'boolean', default: false },
  only: { type: 'string', default: '' },
  jobs: { type: 'string', default: '2' },
  again: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
})
if (values.help) {
  console.log(USAGE)
  process.exit()
}

const suite = values.campaign ? campaignSuite : wholeSuite
const everything = [
  ...lifecycleMutations,
  ...intentCreationMutations,
  ...paymentMutations,
  ...attestationRegistryMutations,
  ...attestationListMutations,
  ...attestationVerifierMutations,
  ...peripheryMutations,
  ...vaultMutations,
]
const mutations = (values.campaign ? twoBridgeCampaignMutations : everything).filter(
  ({ file, label }) => new RegExp(values.only).test(`${file}: ${label}`),
)
const verdicts = await tryAll(mutations, Number(values.jobs))
process.exitCode = report(verdicts)

/** Tries all mutations on `jobs` copies in parallel. */
async function tryAll(all: Mutation[], jobs: number): Promise<Map<Mutation, Verdict>> {
  const found = new Map<Mutation, Verdict>()
  const name = values.campaign ? 'campaign' : 'whole'
  if (!values.again) {
    const rememberedKill = await readCachedKills(name)
    for (const mutation of all) {
      const kill = await rememberedKill(mutation)
      if (kill !== undefined) found.set(mutation, kill)
    }
    console.log(`${found.size} of ${all.length} killed before by tests that haven't changed`)
  }
  const waiting = all.filter((mutation) => !found.has(mutation))
  // The copies are identical, so one verdict holds for all.
  let tried: Promise<void> | undefined
  const work = async () => {
    const copy = await createWorkingCopy()
    try {
      tried ??= requireUnchangedPasses(copy)
      await tried
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const verdict = await tryMutation(copy, next, suite)
        found.set(next, verdict)
        if (verdict.outcome === 'killed') await cacheKill(name, next, verdict, copy.root)
        console.log(`${found.size}/${all.length} ${line(next, verdict)}`)
      }
    } finally {
      await removeWorkingCopy(copy)
    }
  }
  await Promise.all(Array.from({ length: Math.min(jobs, waiting.length) }, work))
  return found
}

async function requireUnchangedPasses(copy: WorkingCopy): Promise<void> {
  const unchanged = await tryUnchanged(copy, suite)
  if (unchanged.outcome === 'survived') return
  throw new Error(`the suite fails without a mutation: ${JSON.stringify(unchanged)}`)
}

/** Prints the score and whatever needs attention; returns the exit code. */
function report(found: Map<Mutation, Verdict>): number {
  const explained = new Map(acceptedSurvivors.map(({ label, reason }) => [label, reason]))
  const all = [...found]
  const killed = all.filter(([, { outcome }]) => outcome === 'killed')
  const survived = all.filter(([, { outcome }]) => outcome === 'survived')
  const invalid = all.filter(([, { outcome }]) => outcome === 'invalid')
  const unexplained = survived.filter(([{ label }]) => !explained.has(label))
  const stale = killed.filter(([{ label }]) => explained.has(label))
  const share = killed.length / Math.max(1, all.length)
  console.log(`\nkilled ${killed.length} of ${all.length} (${(share * 100).toFixed(1)} %)`)
  for (const [{ label }] of survived) {
    console.log(`survived: ${label}: ${explained.get(label) ?? 'NOT EXPLAINED'}`)
  }
  for (const [mutation, verdict] of invalid) console.log(`invalid: ${line(mutation, verdict)}`)
  for (const [{ label }] of stale) console.log(`listed as a survivor, but killed: ${label}`)
  const good = unexplained.length + invalid.length + stale.length === 0 && share >= leastKilled
  return good ? 0 : 1
}

function line({ label, file }: Mutation, verdict: Verdict): string {
  const what = { killed: 'killed  ', survived: 'SURVIVED', invalid: 'INVALID ' }[verdict.outcome]
  const detail =
    verdict.outcome === 'killed' ? verdict.by : verdict.outcome === 'invalid' ? verdict.why : ''
  return `${what} ${label} (${file}) ${detail}`
}

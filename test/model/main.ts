/** `npm run test:model`. */
import { readOptions } from '../bench/readOptions.ts'
import { toCanonicalText } from './catalogue.ts'
import { LARGE_SCOPES, SCOPES, type ScopeName } from './explorationScopes.ts'
import { type Explored, exploreStates } from './exploreStates.ts'
import { MUTANTS, RULES } from './mutants.ts'
import { createModel } from './protocolStateMachine.ts'
import { walk } from './randomWalk.ts'
import { replay } from './replayOnContracts.ts'
import type { Scope } from './stateMachineTypes.ts'

const USAGE = `npm run test:model -- [options]

Explores the protocol's state machine over the program's own decisions, takes random walks where the state space is too
large, breaks each rule in turn to see that an invariant fails, and replays walks on the compiled contracts, so that the
model stays faithful to them.

  --scope <name>  explore one scope alone
  --reorgs <n>    blocks that each chain may lose (default 2)
  --seed <n>      seed of the walks (default 1)
  --walks <n>     walks per large scope (default 2000)
  --steps <n>     steps per walk (default 60)
  --path <path>   repeat a failed walk
  --replays <n>   walks to replay (default 100)
  --mutants       run the mutants alone
  --help          print this`

const values = readOptions(USAGE, {
  scope: { type: 'string' },
  reorgs: { type: 'string', default: '2' },
  seed: { type: 'string', default: '1' },
  walks: { type: 'string', default: '2000' },
  steps: { type: 'string', default: '60' },
  path: { type: 'string' },
  replays: { type: 'string', default: '100' },
  mutants: { type: 'boolean', default: false },
})
const [seed, walks, steps] = [values.seed, values.walks, values.steps].map(Number) as [
  number,
  number,
  number,
]
const scope = (Object.keys(SCOPES) as ScopeName[]).find((name) => name === values.scope)
const isNoScope = values.scope !== undefined && scope === undefined
if (
  isNoScope ||
  ![seed, walks, steps, values.replays, values.reorgs].map(Number).every(Number.isSafeInteger)
) {
  console.error(`${USAGE}\n\nScopes: ${Object.keys(SCOPES).join(', ')}`)
  process.exit(2)
}
let failures = 0

if (values.path !== undefined) walkAll()
else if (values.mutants) runMutants()
else if (scope !== undefined) exploreAll([scope])
else {
  exploreAll(Object.keys(SCOPES) as ScopeName[])
  runMutants()
  walkAll()
  await replayAll()
}
console.log(failures === 0 ? 'all hold' : `FAILED: ${failures}`)
process.exit(failures === 0 ? 0 : 1)

function exploreAll(names: readonly ScopeName[]): void {
  const all = { states: 0, transitions: 0 }
  const began = performance.now()
  for (const name of names) {
    const { seconds, result } = timed(() =>
      exploreStates(createModel(withReorgs(SCOPES[name]), RULES)),
    )
    all.states += result.states
    all.transitions += result.transitions
    console.log(`${name}, ${SCOPES[name].name}: ${wordsOf(result)}, ${seconds} s`)
    if (result.broken === null) continue
    fail(result.broken.why, `npm run test:model -- --scope ${name} --reorgs ${values.reorgs}`)
    for (const action of result.broken.path) console.log(`  ${toCanonicalText(action)}`)
  }
  const total = `${all.states.toLocaleString('en')} states, ${all.transitions.toLocaleString('en')}`
  console.log(`explored: ${total} transitions, ${secondsSince(began)} s\n`)
}

function runMutants(): void {
  for (const { name, scope, rules } of MUTANTS) {
    const { seconds, result } = timed(() => exploreStates(createModel(SCOPES[scope], rules)))
    const { broken, states } = result
    console.log(
      `mutant, ${name}: ${broken ? `caught after ${states} states` : 'SURVIVED'}, ${seconds} s`,
    )
    console.log(`  ${broken?.why ?? ''}`)
    if (broken === null) fail(`no invariant fails: ${name}`, 'npm run test:model -- --mutants')
  }
  console.log(`${MUTANTS.length} mutants\n`)
}

function walkAll(): void {
  for (const scope of LARGE_SCOPES) {
    const { path } = values
    const { seconds, result } = timed(() => walk(scope, RULES, { seed, runs: walks, steps, path }))
    console.log(
      `${scope.name}: ${walks} walks of up to ${steps} steps from seed ${seed}, ${seconds} s`,
    )
    if (result === null) continue
    const again = `--seed ${seed} --walks ${walks} --steps ${steps} --path ${result.path}`
    fail(result.why, `npm run test:model -- ${again}`)
  }
}

async function replayAll(): Promise<void> {
  for (const scope of LARGE_SCOPES) {
    const began = performance.now()
    // The registry on these chains has operators for two honest enclaves and a rogue one.
    const on = { ...scope, enclaves: scope.enclaves.filter((name) => name !== 'newcomer') }
    const report = await replay(on, {
      seed,
      walks: Number(values.replays) / LARGE_SCOPES.length,
      steps: 40,
    })
    const { calls, refused, differences } = report
    const words = `${calls} calls and ${refused} refusals, ${differences.length} differences`
    console.log(
      `replayed, ${scope.name}: ${report.walks} walks, ${words}, ${secondsSince(began)} s`,
    )
    for (const one of differences) fail(one, `npm run test:model -- --seed ${seed}`)
  }
}

function withReorgs(scope: Scope): Scope {
  const most = (budget: number) => (budget === 0 ? 0 : Number(values.reorgs))
  const { sourceReorg, destinationReorg } = scope.budget
  const budget = {
    ...scope.budget,
    sourceReorg: most(sourceReorg),
    destinationReorg: most(destinationReorg),
  }
  return { ...scope, budget }
}

function wordsOf({ states, transitions, depth, isWhole }: Explored): string {
  const much = `${states.toLocaleString('en')} states, ${transitions.toLocaleString('en')} transitions`
  return `${much}, up to ${depth} steps${isWhole ? ', exhausted' : ''}`
}

function fail(why: string, again: string): void {
  failures += 1
  console.log(`FAILED: ${why}\n  reproduce with: ${again}`)
}

function timed<Result>(work: () => Result): { seconds: string; result: Result } {
  const began = performance.now()
  const result = work()
  return { seconds: secondsSince(began), result }
}

function secondsSince(began: number): string {
  return ((performance.now() - began) / 1_000).toFixed(1)
}

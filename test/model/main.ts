/**
 * `npm run test:model`: explores the protocol's state machine over the program's own decisions, walks where
 * there is too much to explore, breaks one rule after the other to see that it is noticed, and replays walks
 * on the compiled contracts, so that the model can't drift from them.
 *
 * `-- --world <name>` explores one world alone, `--reorgs <n>` lets chains take back so many blocks (2),
 * `--seed <n>` of walks (1), `--walks <n>` of each wild world (2,000), `--steps <n>` of each (60),
 * `--path <path>` repeats a walk that failed, `--replays <n>` (100), `--mutants` runs these alone.
 */
import { parseArgs } from 'node:util'
import { textOf } from './catalogue.ts'
import { type Explored, explore } from './explore.ts'
import { createModel } from './model.ts'
import { MUTANTS, RULES } from './mutants.ts'
import { replay } from './replay.ts'
import { walk } from './walk.ts'
import type { World } from './world.ts'
import { WILD, WORLDS, type WorldName } from './worlds.ts'

const { values } = parseArgs({
  options: {
    world: { type: 'string' },
    reorgs: { type: 'string', default: '2' },
    seed: { type: 'string', default: '1' },
    walks: { type: 'string', default: '2000' },
    steps: { type: 'string', default: '60' },
    path: { type: 'string' },
    replays: { type: 'string', default: '100' },
    mutants: { type: 'boolean', default: false },
  },
})
const [seed, walks, steps] = [values.seed, values.walks, values.steps].map(Number) as [
  number,
  number,
  number,
]
let failures = 0

if (values.path !== undefined) walkAll()
else if (values.mutants) runMutants()
else if (values.world !== undefined) exploreAll([values.world as WorldName])
else {
  exploreAll(Object.keys(WORLDS) as WorldName[])
  runMutants()
  walkAll()
  await replayAll()
}
console.log(failures === 0 ? 'all hold' : `FAILED: ${failures}`)
process.exit(failures === 0 ? 0 : 1)

function exploreAll(names: readonly WorldName[]): void {
  const all = { states: 0, transitions: 0 }
  const began = performance.now()
  for (const name of names) {
    const { seconds, result } = timed(() => explore(createModel(withReorgs(WORLDS[name]), RULES)))
    all.states += result.states
    all.transitions += result.transitions
    console.log(`${name}, ${WORLDS[name].name}: ${wordsOf(result)}, ${seconds} s`)
    if (result.broken === null) continue
    fail(result.broken.why, `npm run test:model -- --world ${name} --reorgs ${values.reorgs}`)
    for (const action of result.broken.path) console.log(`  ${textOf(action)}`)
  }
  const total = `${all.states.toLocaleString('en')} states, ${all.transitions.toLocaleString('en')}`
  console.log(`explored: ${total} transitions, ${secondsSince(began)} s\n`)
}

function runMutants(): void {
  for (const { name, world, rules } of MUTANTS) {
    const { seconds, result } = timed(() => explore(createModel(WORLDS[world], rules)))
    const { broken, states } = result
    console.log(
      `mutant, ${name}: ${broken ? `caught after ${states} states` : 'SURVIVED'}, ${seconds} s`,
    )
    console.log(`  ${broken?.why ?? ''}`)
    if (broken === null) fail(`nothing notices: ${name}`, 'npm run test:model -- --mutants')
  }
  console.log(`${MUTANTS.length} mutants\n`)
}

function walkAll(): void {
  for (const world of WILD) {
    const { path } = values
    const { seconds, result } = timed(() => walk(world, RULES, { seed, runs: walks, steps, path }))
    console.log(
      `${world.name}: ${walks} walks of up to ${steps} steps from seed ${seed}, ${seconds} s`,
    )
    if (result === null) continue
    const again = `--seed ${seed} --walks ${walks} --steps ${steps} --path ${result.path}`
    fail(result.why, `npm run test:model -- ${again}`)
  }
}

async function replayAll(): Promise<void> {
  for (const world of WILD) {
    const began = performance.now()
    // The registry of these chains has operators for two honest enclaves and a rogue.
    const on = { ...world, enclaves: world.enclaves.filter((name) => name !== 'newcomer') }
    const report = await replay(on, {
      seed,
      walks: Number(values.replays) / WILD.length,
      steps: 40,
    })
    const { calls, refused, differences } = report
    const words = `${calls} calls and ${refused} refusals, ${differences.length} differences`
    console.log(
      `replayed, ${world.name}: ${report.walks} walks, ${words}, ${secondsSince(began)} s`,
    )
    for (const one of differences) fail(one, `npm run test:model -- --seed ${seed}`)
  }
}

function withReorgs(world: World): World {
  const most = (budget: number) => (budget === 0 ? 0 : Number(values.reorgs))
  const { sourceReorg, destinationReorg } = world.budget
  const budget = {
    ...world.budget,
    sourceReorg: most(sourceReorg),
    destinationReorg: most(destinationReorg),
  }
  return { ...world, budget }
}

function wordsOf({ states, transitions, depth, isWhole }: Explored): string {
  const much = `${states.toLocaleString('en')} states, ${transitions.toLocaleString('en')} transitions`
  return `${much}, up to ${depth} steps${isWhole ? ', nothing left' : ''}`
}

function fail(why: string, again: string): void {
  failures += 1
  console.log(`FAILED: ${why}\n  to repeat it: ${again}`)
}

function timed<Result>(work: () => Result): { seconds: string; result: Result } {
  const began = performance.now()
  const result = work()
  return { seconds: secondsSince(began), result }
}

function secondsSince(began: number): string {
  return ((performance.now() - began) / 1_000).toFixed(1)
}

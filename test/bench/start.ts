/**
 * npm run bench:start: time until `npm start` has all roles up on an existing database, as it is and without each thing
 * that only makes it faster.
 *
 * Each variant is a copy of the project with one change, and each keeps its own cache of compiled code. All use one
 * devnet's state, one after the other. The first start of each isn't counted: it compiles.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { removeClusterDirectory } from '../../services/postgres/clusterDirectory.ts'
import { startDevnetProcess } from '../rig/devnetProcess.ts'
import { type Measurement, measureProgram } from './backfill/measureProgram.ts'
import { readOptions } from './readOptions.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const QUICK_LOADING = 'services/process/modules/speedUpModuleLoading.ts'
const PONDER_MODULES = 'services/indexer/ponder/replacePonderModules.ts'

/** Seconds in which the devnet whose state is resumed plays intents. */
const TRAFFIC_SECONDS = 60

/** What is taken out: a folder, or a part of a file, from one text up to another. */
type Variant = { name: string; folder?: string; file?: string; from?: string; to?: string }

const VARIANTS: Variant[] = [
  { name: 'as it is' },
  { name: 'without prebundled packages', folder: 'node_modules/.packed' },
  {
    name: 'without them and the known paths of modules',
    file: QUICK_LOADING,
    from: 'registerHooks({',
    to: 'function preferPacked',
  },
  { name: 'without all this and cached code', file: QUICK_LOADING },
  { name: 'with Vite in Ponder', file: PONDER_MODULES, from: "    'vite',", to: '  ].map((name)' },
]

const { rounds } = readOptions(
  `npm run bench:start -- [options]

  --rounds <n>   starts of each variant (default 5)`,
  { rounds: { type: 'string', default: '5' } },
  ['rounds'],
)

const place = mkdtempSync(join(tmpdir(), 'cairn-start-'))
const state = join(place, 'state')
try {
  const variants = VARIANTS.map((variant, at) => ({ ...variant, root: copyFor(variant, at) }))
  console.log(`playing intents for ${TRAFFIC_SECONDS} s …`)
  await playIntents()
  const measured = variants.map((): Measurement[] => [])
  for (let round = 0; round <= Number(rounds); round++) {
    for (const [at, { name, root }] of variants.entries()) {
      const one = await start(root)
      if (round > 0) measured[at]?.push(one)
      console.log(
        `${round > 0 ? `round ${round}` : 'warm-up'}: ${name}: ${one.seconds.toFixed(1)} s`,
      )
    }
  }
  console.log(`\n${''.padEnd(45)}    time     CPU    memory   (medians of ${rounds})`)
  for (const [at, { name }] of variants.entries()) {
    const median = (pick: (one: Measurement) => number) =>
      measured[at]?.map(pick).sort((a, b) => a - b)[Math.floor(Number(rounds) / 2)] ?? Number.NaN
    const [seconds, cpu] = [median((one) => one.seconds), median((one) => one.cpuSeconds)]
    const figures = [`${seconds.toFixed(1)} s`, `${cpu.toFixed(1)} s`]
    figures.push(`${median((one) => one.peakMegabytes).toFixed(0)} MB`)
    console.log(name.padEnd(45) + figures.map((figure) => figure.padStart(8)).join(''))
  }
} finally {
  removeClusterDirectory(join(state, 'postgres'))
  rmSync(place, { recursive: true, force: true })
}

/** Starts a devnet on the state, and ends it once all roles are up. */
function start(root: string): Promise<Measurement> {
  const args = [join(root, 'services/main.ts'), 'devnet', '--directory', state, '--traffic', 'off']
  return measureProgram(args, process.env, (line) => line.includes('Try next'))
}

async function playIntents(): Promise<void> {
  const devnet = startDevnetProcess(state, '--traffic', '20/min')
  await devnet.running()
  await sleep(TRAFFIC_SECONDS * 1_000)
  devnet.signal('SIGINT')
  await devnet.ended
}

/** A copy of the project's own files, with hard links to its packages. */
function copyFor({ folder, file, from, to }: Variant, at: number): string {
  const root = join(place, String(at))
  const files = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' })
    .trim()
    .split('\n')
  for (const path of [...files, 'contracts/out', 'contracts/cache']) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    cpSync(join(ROOT, path), join(root, path), { recursive: true })
  }
  execFileSync('cp', ['-al', join(ROOT, 'node_modules'), join(root, 'node_modules')])
  rmSync(join(root, 'node_modules/.cache'), { recursive: true, force: true })
  if (folder) rmSync(join(root, folder), { recursive: true })
  if (file) {
    const source = readFileSync(join(root, file), 'utf8')
    writeFileSync(join(root, file), from && to ? cut(source, from, to) : 'export {}\n')
  }
  return root
}

function cut(source: string, from: string, to: string): string {
  const [start, end] = [source.indexOf(from), source.indexOf(to)]
  if (start < 0 || end < start) throw new Error(`'${from}' … '${to}' isn't in the file any more`)
  return source.slice(0, start) + source.slice(end)
}

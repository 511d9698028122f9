/**
 * `npm run bench:requests`: how many requests each role sends to its chains' nodes, for whoever buys them. Starts a devnet: two
 * chains with a block a second, one node each. `--load` adds the traffic of `npm start`; `--seconds <n>` (default 60).
 */
import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { DEFAULT_PER_MINUTE } from '../../devnet/readCommandLine.ts'
import { removeClusterDirectory } from '../../services/postgres/clusterDirectory.ts'
import { startDevnetProcess } from '../rig/devnetProcess.ts'
import { readOptions } from './readOptions.ts'
import type { RequestCounts } from './requests/countRequests.ts'

const CHAINS = 2
/** Until roles have read what they remember, and intents have reached every phase. */
const WARM_UP_MS = 45_000

const values = readOptions(
  `npm run bench:requests -- [options]

  --seconds <n>  how long to count (default 60)
  --load         with the traffic of npm start on both chains`,
  { load: { type: 'boolean' }, seconds: { type: 'string', default: '60' } },
  ['seconds'],
)
const seconds = Number(values.seconds)
const directory = await mkdtemp(join(tmpdir(), 'cairn-requests-'))
const folder = join(directory, 'counts')
await mkdir(folder)
Object.assign(process.env, {
  REQUEST_COUNTS: folder,
  NODE_OPTIONS: `--import ${fileURLToPath(new URL('requests/countRequests.ts', import.meta.url))}`,
})
console.log('starting a devnet …')
const traffic = values.load ? `${DEFAULT_PER_MINUTE}/min` : 'off'
const devnet = startDevnetProcess(directory, '--traffic', traffic)
try {
  await devnet.running()
  await pause(WARM_UP_MS)
  const before = readCounts()
  await pause(1_000 * seconds)
  print(before, readCounts())
} finally {
  devnet.signal('SIGINT')
  await devnet.ended
  removeClusterDirectory(join(directory, 'postgres'))
  await rm(directory, { recursive: true, force: true })
}
process.exit()

/** Counts by process. */
function readCounts(): Map<string, RequestCounts> {
  const files = readdirSync(folder)
  return new Map(files.map((name) => [name, JSON.parse(readFileSync(join(folder, name), 'utf8'))]))
}

function print(before: Map<string, RequestCounts>, after: Map<string, RequestCounts>): void {
  const rate = (count: number) => Number((count / seconds / CHAINS).toFixed(1))
  const rows = [...after].flatMap(([name, { role, requests, calls }]) => {
    const first = before.get(name)
    if (first === undefined || role === 'devnet' || requests === first.requests) return []
    const rates = Object.entries(calls)
      .map(([method, count]) => [method, rate(count - (first.calls[method] ?? 0))] as const)
      .toSorted(([, one], [, other]) => other - one)
    const most = rates.slice(0, 3).map(([method, each]) => `${method} ${each}`)
    const all = rates.reduce((sum, [, each]) => sum + each, 0)
    const total = Number(all.toFixed(1))
    return [
      { role, requests: rate(requests - first.requests), calls: total, most: most.join(', ') },
    ]
  })
  console.log('a second, for each chain with one node:')
  console.table(rows.toSorted((one, other) => other.calls - one.calls))
}

import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { createPublicClient, http } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { STATUSES } from '../../../core/intent/status.ts'
import type { DevnetFile } from '../../../devnet/devnetFile.ts'
import { startDevnet } from '../../../devnet/startDevnet.ts'
import { removeClusterDirectory } from '../../../services/postgres/clusterDirectory.ts'
import { findCommandLine } from '../../../services/process/processInfo.ts'
import {
  awaitAllEnded,
  DEVNET_POLLING,
  type DevnetProcess,
  endAll,
  startDevnetProcess,
} from '../../rig/devnetProcess.ts'
import { until } from '../../rig/until.ts'
import { beginSending, describeExamples, describeSending } from '../docs/describeExamples.ts'
import { describeProof } from '../explorer/describeProof.ts'
import { describeWallet } from '../explorer/describeWallet.ts'
import { beginOrder, describeOrder, type Ordering } from '../orders/describeOrder.ts'
import { beginReceiving, describeReceive, type Receiving } from '../receive/describeReceive.ts'
import { describeWebhook } from '../webhook/describeWebhook.ts'

type Intent = {
  intentId: string
  status: string
  createTxHash: string
  timestamp: string
  sourceChainId: string
  tokenA: string
  tokenB: string
  bids: { count: number }
  isTerminal: boolean
  refund: { status: string } | null
}

const OUTCOMES_WITHIN = 90_000

/** Longer than what they wait for, so that a failure names it. */
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 })

/** The reader's folder: the devnet's state is in its `.cairn`, as after `npm start`. */
const home = mkdtempSync(join(tmpdir(), 'cairn-start-'))
chmodSync(home, 0o755)
const directory = join(home, '.cairn')
afterAll(async () => {
  await endAll()
  removeClusterDirectory(join(directory, 'postgres'))
  rmSync(home, { recursive: true, force: true })
})

/** All of them: on a slow machine there are several pages. */
async function intents(file: DevnetFile, query = ''): Promise<Intent[]> {
  const found: Intent[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const after = cursor && `&cursor=${cursor}`
    const response = await fetch(`${file.api}/intents?limit=200${query}${after}`)
    // 503 while the index is being built for the first time.
    if (response.status === 503) return []
    const body = await response.text()
    expect(response.status, body).toBe(200)
    const page = JSON.parse(body) as { intents: Intent[]; nextCursor: string | null }
    found.push(...page.intents)
    cursor = page.nextCursor
  }
  return found
}

function genesis(file: DevnetFile): Promise<string[]> {
  return Promise.all(
    file.chains.map(async ({ rpc }) => {
      const client = createPublicClient({ transport: http(rpc) })
      return (await client.getBlock({ blockNumber: 0n })).hash
    }),
  )
}

/** Waits until every one of these is answered again, by its creation. */
async function answeredAgain(file: DevnetFile, known: Intent[]): Promise<void> {
  await until(
    async () => {
      const now = new Set((await intents(file)).map(({ createTxHash }) => createTxHash))
      return known.every(({ createTxHash }) => now.has(createTxHash))
    },
    'every intent is answered again',
    DEVNET_POLLING,
  )
}

async function endInOrder(devnet: DevnetProcess): Promise<void> {
  const family = devnet.descendants()
  expect(family.length).toBeGreaterThan(6)
  devnet.signal('SIGINT')
  expect(await devnet.ended).toBe(0)
  await awaitAllEnded(family)
}

/** Leaves an earlier devnet's chains and database behind. Answers the chains' first blocks. */
async function leaveDevnetBehind(): Promise<string[]> {
  const earlier = await startDevnet({ directory, traffic: 'off', roles: [] })
  try {
    await tablesAfter(earlier.file, 'create table left_behind ()')
    return await genesis(earlier.file)
  } finally {
    await earlier.stop()
  }
}

/** Names of the database's tables, all schemas together, once the statement has run. */
async function tablesAfter({ databaseUrl }: DevnetFile, statement = 'select 1'): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl })
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query(statement)
    const { rows } = await client.query('select tablename from pg_tables')
    return rows.map(({ tablename }) => tablename)
  } finally {
    await client.end()
  }
}

/** Resolves with how many milliseconds it took until each status had been seen. */
async function everyOutcome(file: DevnetFile): Promise<number> {
  const begun = performance.now()
  const seen = new Set<string>()
  await until(
    async () => {
      for (const { status } of await intents(file)) seen.add(status)
      return STATUSES.every((status) => seen.has(status))
    },
    'an intent of every status',
    DEVNET_POLLING,
  )
  return performance.now() - begun
}

describe('npm start', () => {
  let devnet: DevnetProcess
  let file: DevnetFile
  let played: Intent[]
  let earlierGenesis: string[]
  let firstGenesis: string[]
  let outcomes: Promise<number>
  let sending: Promise<string[]>
  let receiving: Receiving
  let ordering: Ordering

  beforeAll(async () => {
    earlierGenesis = await leaveDevnetBehind()
    const begun = performance.now()
    devnet = startDevnetProcess(directory, '--fresh', '--traffic', '20/min')
    file = await devnet.running()
    console.log(`API answers after ${seconds(begun)} s`)
    outcomes = everyOutcome(file)
    // Callers that await it receive the failure.
    outcomes.catch(() => {})
    sending = beginSending(home, file)
    receiving = beginReceiving(file)
    ordering = beginOrder(file)
  })

  beforeEach(({ onTestFailed }) => {
    onTestFailed(() => console.error(devnet.output().split('\n').slice(-60).join('\n')))
  })

  it('starts over with --fresh', async () => {
    firstGenesis = await genesis(file)
    expect(firstGenesis.some((hash) => earlierGenesis.includes(hash))).toBe(false)
    expect(await tablesAfter(file)).not.toContain('left_behind')
  })

  // What needs a running devnet and spoils nothing for the others has its turn while intents come about; what mostly waits comes last.
  describeExamples(home, () => file)
  describeWebhook(() => file)
  describeProof(() => file)
  describeWallet(() => ordering, directory)
  describeReceive(() => receiving)
  describeOrder(() => ordering)
  describeSending(() => sending)

  it('shows every outcome over REST within 90 seconds', async () => {
    const took = await outcomes
    console.log(`every outcome ${(took / 1_000).toFixed(1)} s later`)
    expect(took).toBeLessThan(OUTCOMES_WITHIN)
  })

  it('refunds what failed or expired', async () => {
    for (const status of ['failed', 'expired']) {
      const isRefunded = async () =>
        (await intents(file, `&status=${status}`)).some(({ refund }) => refund?.status === 'done')
      await until(isRefunded, `the refund of an intent that ${status}`, DEVNET_POLLING)
    }
  })

  it('simulates both directions, several pairs, and auctions with several bids', async () => {
    const areVaried = async () => {
      played = await intents(file)
      const pairs = new Set(played.map(({ tokenA, tokenB }) => `${tokenA}/${tokenB}`))
      const some = (has: (bids: number) => boolean) => played.some(({ bids }) => has(bids.count))
      return pairs.size > 5 && some((bids) => bids > 1) && some((bids) => bids === 0)
    }
    await until(
      areVaried,
      'several pairs, auctions with several bids and with none',
      DEVNET_POLLING,
    )
    const sources = new Set(played.map(({ sourceChainId }) => sourceChainId))
    expect([...sources].sort()).toEqual(['2651420', '84532'])
  })

  it('describes itself in a file that only its owner can read', () => {
    expect(statSync(join(directory, 'devnet.json')).mode & 0o777).toBe(0o600)
    const [base, horizen] = file.chains
    expect(base?.bridge).toBe(horizen?.bridge)
    expect(base?.tokens).toEqual(horizen?.tokens)
    expect(file.accounts.guests.length).toBeGreaterThan(0)
  })

  it('prints commands that work unchanged', () => {
    const commands = devnet.output().match(/^ {2}curl .*$/gm) ?? []
    expect(commands.length).toBeGreaterThan(3)
    for (const command of commands) {
      const answer = execFileSync('bash', ['-c', `${command} --fail-with-body`], {
        encoding: 'utf8',
      })
      expect(JSON.parse(answer)).not.toHaveProperty('errors')
    }
  })

  it('refuses to run twice in one directory and explains why', async () => {
    const second = startDevnetProcess(directory)
    expect(await second.ended).toBe(3)
    expect(second.output()).toContain(`already running on ${directory} (process ${devnet.pid})`)
  })

  it('restarts a killed API at the same address', async () => {
    const api = devnet.descendants().find((pid) => findCommandLine(pid)?.includes('main.ts api'))
    expect(api).toBeDefined()
    process.kill(api ?? 0, 'SIGKILL')
    const isSaid = () => devnet.output().includes('the api was ended by SIGKILL; starting it again')
    await until(isSaid, 'the devnet says so', DEVNET_POLLING)
    const isUp = () =>
      fetch(`${file.api}/health`).then(
        ({ ok }) => ok,
        () => false,
      )
    await until(isUp, 'the API answers', DEVNET_POLLING)
  })

  it('gives the indexer and the API the processor first, also after a restart', async () => {
    const push = devnet.descendants().find((pid) => findCommandLine(pid)?.includes('main.ts push'))
    if (push === undefined) throw new Error('no push role runs')
    process.kill(push, 'SIGKILL')
    const roles = () =>
      devnet.descendants().flatMap((pid) => {
        const role = findCommandLine(pid)?.match(/main\.ts (\S+)/)?.[1]
        return role ? [{ pid, role, yields: getPriority(pid) > getPriority() }] : []
      })
    const yieldsAgain = () =>
      roles().some(({ pid, role, yields }) => role === 'push' && pid !== push && yields)
    await until(yieldsAgain, 'the push role runs again and yields', DEVNET_POLLING)
    const found = roles().map(({ role, yields }) => ({ role, yields }))
    const yields = (role: string) => role !== 'indexer' && role !== 'api'
    expect(found.length).toBeGreaterThanOrEqual(9)
    expect(found).toEqual(found.map(({ role }) => ({ role, yields: yields(role) })))
  })

  it('shuts down in order on Ctrl-C and leaves no process', async () => {
    played = await intents(file)
    await endInOrder(devnet)
  })

  it('resumes at the next start, with edited policies', async () => {
    const policyFile = join(directory, 'solver-2.policy.json')
    const edited = readFileSync(policyFile, 'utf8').replace('"marginBps": 3', '"marginBps": 4')
    writeFileSync(policyFile, edited)
    devnet = startDevnetProcess(directory)
    file = await devnet.running()
    expect(await genesis(file)).toEqual(firstGenesis)
    expect(readFileSync(policyFile, 'utf8')).toBe(edited)
    expect(edited).toContain('"marginBps": 4')
    await answeredAgain(file, played)
  })

  it('leaves no process when killed with -9, and restarts with the same intents', async () => {
    played = (await intents(file)).filter(({ isTerminal }) => isTerminal)
    expect(played.length).toBeGreaterThan(5)
    const family = devnet.descendants()
    devnet.signal('SIGKILL')
    await awaitAllEnded(family)
    devnet = startDevnetProcess(directory)
    file = await devnet.running()
    expect(await genesis(file)).toEqual(firstGenesis)
    await answeredAgain(file, played)
  })

  it('detects that the chains were reset, says so and indexes the new ones', async () => {
    await endInOrder(devnet)
    for (const { name } of file.chains) rmSync(join(directory, `${name}.state.json`))
    devnet = startDevnetProcess(directory)
    file = await devnet.running()
    await until(
      async () => {
        const now = await intents(file)
        // The same seed may send the same transaction to the new chain, but later.
        const isOld = ({ createTxHash, timestamp }: Intent) =>
          played.some((old) => old.createTxHash === createTxHash && old.timestamp === timestamp)
        return now.length > 0 && !now.some(isOld)
      },
      'new intents only',
      DEVNET_POLLING,
    )
    // One chain's intents may be there before the other's index has looked.
    for (const { name } of file.chains) {
      const note = `note: indexer: ${name} is not the chain that was indexed`
      await until(() => devnet.output().includes(note), note, DEVNET_POLLING)
    }
    await endInOrder(devnet)
  })
})

describe('npm start with wrong options', () => {
  it('lists all of them and exits', async () => {
    const devnet = startDevnetProcess(
      directory,
      '--traffic',
      'lots',
      '--api-port',
      'http',
      '--frsh',
    )
    expect(await devnet.ended).toBe(2)
    for (const wrong of ['--traffic', '--api-port', '--frsh'])
      expect(devnet.output()).toContain(`  - ${wrong}`)
  })
})

function seconds(begun: number): string {
  return ((performance.now() - begun) / 1_000).toFixed(1)
}

import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPublicClient, http } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DevnetFile } from '../../../services/devnet/devnetFile.ts'
import { removeClusterDirectory } from '../../../services/postgres/clusterDirectory.ts'
import { commandOf } from '../../../services/process/processFacts.ts'
import { STATUSES } from '../../../src/intent/status.ts'
import { allGone, type DevnetProcess, endAll, npmStart, until } from './devnetProcess.ts'

type Intent = {
  intentId: string
  status: string
  createTxHash: string
  sourceChainId: string
  tokenA: string
  tokenB: string
  bids: { count: number }
  isTerminal: boolean
  refund: { status: string } | null
}

const OUTCOMES_WITHIN = 90_000

const directory = mkdtempSync(join(tmpdir(), 'cairn-start-'))
chmodSync(directory, 0o755)
afterAll(async () => {
  await endAll()
  removeClusterDirectory(join(directory, 'postgres'))
  rmSync(directory, { recursive: true, force: true })
})

async function intents(file: DevnetFile, query = ''): Promise<Intent[]> {
  const response = await fetch(`${file.api}/intents?limit=200${query}`)
  // 503 while the index is being built for the first time.
  if (response.status === 503) return []
  const body = await response.text()
  expect(response.status, body).toBe(200)
  return (JSON.parse(body) as { intents: Intent[] }).intents
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
  await until(async () => {
    const now = new Set((await intents(file)).map(({ createTxHash }) => createTxHash))
    return known.every(({ createTxHash }) => now.has(createTxHash))
  })
}

async function endInOrder(devnet: DevnetProcess): Promise<void> {
  const family = devnet.descendants()
  expect(family.length).toBeGreaterThan(6)
  devnet.signal('SIGINT')
  expect(await devnet.ended).toBe(0)
  await allGone(family)
}

describe('npm start', () => {
  let devnet: DevnetProcess
  let file: DevnetFile
  let played: Intent[]
  let firstGenesis: string[]

  beforeAll(async () => {
    const begun = performance.now()
    devnet = npmStart(directory, '--traffic', '20/min')
    file = await devnet.running()
    console.log(`API answers after ${seconds(begun)} s`)
  })

  it(
    'shows every outcome over REST within 90 seconds',
    async () => {
      const begun = performance.now()
      const seen = new Map<string, number>()
      await until(async () => {
        played = await intents(file)
        for (const { status } of played) seen.set(status, seen.get(status) ?? performance.now())
        return STATUSES.every((status) => seen.has(status))
      })
      expect(performance.now() - begun).toBeLessThan(OUTCOMES_WITHIN)
      console.log(`every outcome ${seconds(begun)} s later`)
    },
    OUTCOMES_WITHIN,
  )

  it('refunds what failed or expired', async () => {
    for (const status of ['failed', 'expired'])
      await until(async () =>
        (await intents(file, `&status=${status}`)).some(({ refund }) => refund?.status === 'done'),
      )
  })

  it('plays both directions, several pairs, and auctions with several bids', async () => {
    played = await intents(file)
    const sources = new Set(played.map(({ sourceChainId }) => sourceChainId))
    expect([...sources].sort()).toEqual(['2651420', '84532'])
    const pairs = new Set(played.map(({ tokenA, tokenB }) => `${tokenA}/${tokenB}`))
    expect(pairs.size).toBeGreaterThan(5)
    expect(played.some(({ bids }) => bids.count > 1)).toBe(true)
    expect(played.some(({ bids }) => bids.count === 0)).toBe(true)
  })

  it('describes itself in a file that only its owner can read', () => {
    expect(statSync(join(directory, 'devnet.json')).mode & 0o777).toBe(0o600)
    const [base, horizen] = file.chains
    expect(base?.bridge).toBe(horizen?.bridge)
    expect(base?.tokens).toEqual(horizen?.tokens)
    expect(file.accounts.guests.length).toBeGreaterThan(0)
  })

  it('prints commands that work as they stand', () => {
    const commands = devnet.output().match(/^ {2}curl .*$/gm) ?? []
    expect(commands.length).toBeGreaterThan(3)
    for (const command of commands) {
      const answer = execFileSync('bash', ['-c', `${command} --fail-with-body`], {
        encoding: 'utf8',
      })
      expect(JSON.parse(answer)).not.toHaveProperty('errors')
    }
  })

  it('refuses to run twice on one directory, and says so', async () => {
    const second = npmStart(directory)
    expect(await second.ended).toBe(3)
    expect(second.output()).toContain(`already running on ${directory} (process ${devnet.pid})`)
  })

  it('starts the API again, at the same address, when it was killed', async () => {
    const api = devnet.descendants().find((pid) => commandOf(pid)?.includes('main.ts api'))
    expect(api).toBeDefined()
    process.kill(api ?? 0, 'SIGKILL')
    await until(() => devnet.output().includes('the api was ended by SIGKILL; starting it again'))
    await until(() =>
      fetch(`${file.api}/health`).then(
        ({ ok }) => ok,
        () => false,
      ),
    )
  })

  it('ends in order on Ctrl-C and leaves no process', async () => {
    played = await intents(file)
    firstGenesis = await genesis(file)
    await endInOrder(devnet)
  })

  it('goes on from there at the next start', async () => {
    devnet = npmStart(directory)
    file = await devnet.running()
    expect(await genesis(file)).toEqual(firstGenesis)
    await answeredAgain(file, played)
  })

  it('leaves no process when it is killed with -9, and starts again with the same intents', async () => {
    played = (await intents(file)).filter(({ isTerminal }) => isTerminal)
    expect(played.length).toBeGreaterThan(5)
    const family = devnet.descendants()
    devnet.signal('SIGKILL')
    await allGone(family)
    devnet = npmStart(directory)
    file = await devnet.running()
    expect(await genesis(file)).toEqual(firstGenesis)
    await answeredAgain(file, played)
  })

  it('notices that the chains were reset, says so and indexes the new ones', async () => {
    await endInOrder(devnet)
    for (const { name } of file.chains) rmSync(join(directory, `${name}.state.json`))
    devnet = npmStart(directory)
    file = await devnet.running()
    await until(async () => {
      const now = await intents(file)
      const isOld = ({ createTxHash }: Intent) =>
        played.some((old) => old.createTxHash === createTxHash)
      return now.length > 0 && !now.some(isOld)
    })
    expect(devnet.output()).toMatch(/note: base_sepolia is not the chain that was indexed/)
  })

  it('begins anew with --fresh', async () => {
    const before = await genesis(file)
    await endInOrder(devnet)
    devnet = npmStart(directory, '--fresh', '--traffic', 'off')
    file = await devnet.running()
    const after = await genesis(file)
    expect(after.some((hash) => before.includes(hash))).toBe(false)
    expect(await intents(file)).toEqual([])
    await endInOrder(devnet)
  })
})

describe('npm start with wrong options', () => {
  it('lists all of them and exits', async () => {
    const devnet = npmStart(directory, '--traffic', 'lots', '--api-port', 'http', '--frsh')
    expect(await devnet.ended).toBe(2)
    for (const wrong of ['--traffic', '--api-port', '--frsh'])
      expect(devnet.output()).toContain(`  - ${wrong}`)
  })
})

function seconds(begun: number): string {
  return ((performance.now() - begun) / 1_000).toFixed(1)
}

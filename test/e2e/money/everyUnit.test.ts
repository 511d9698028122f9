import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEventLogs } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contractArtifacts } from '../../../contracts/artifacts.ts'
import { createIntentCall } from '../../../sdk/intent/createIntentCall.ts'
import { createRelayerClient } from '../../../sdk/relayer/relayerClient.ts'
import { sealBundle } from '../../../sdk/seal/sealBundle.ts'
import { sealCreationBlob } from '../../../sdk/seal/sealCreationBlob.ts'
import { devnetAccounts } from '../../../services/devnet/accounts.ts'
import { devnetContracts } from '../../../services/devnet/deploy/devnetContracts.ts'
import { type Devnet, startDevnet } from '../../../services/devnet/startDevnet.ts'
import { drawFor } from '../../../services/devnet/traffic/draw.ts'
import { followIntents } from '../../../services/devnet/traffic/followIntents.ts'
import { type TrafficChain, trafficChain } from '../../../services/devnet/traffic/trafficChain.ts'
import { DEVNET_WINDOWS } from '../../../services/devnet/windows.ts'
import { createLog } from '../../../services/log/createLog.ts'
import { removeClusterDirectory } from '../../../services/postgres/clusterDirectory.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { packIntentId } from '../../../src/intent/id.ts'
import { until } from '../start/devnetProcess.ts'
import { addBalances, createLedger } from './ledger.ts'
import { type Cast, type Played, predict } from './prediction.ts'
import { fateFor, STORIES, type Story, termsOf, UNDER_KILLS } from './story.ts'

const SEED = 41
const KILLS = 6

const directory = mkdtempSync(join(tmpdir(), 'cairn-money-'))
chmodSync(directory, 0o755)

let devnet: Devnet
let chains: TrafficChain[]
let relayer: ReturnType<typeof createRelayerClient>
let following: Promise<void> | undefined
const stopping = new AbortController()
const played: Played[] = []
const { solvers, rogue, senders } = devnetAccounts()
const [sender] = senders

beforeAll(async () => {
  devnet = await startDevnet({ directory, traffic: 'off' })
  const contracts = devnetContracts(await contractArtifacts(), devnetAccounts(), DEVNET_WINDOWS)
  chains = devnet.chains.map((chain) => trafficChain(chain, contracts, devnetAccounts()))
  relayer = createRelayerClient({ baseUrl: devnet.file.api, requestTimeoutMs: 30_000 })
  // The first takes everything but ZEN, the second nothing else: nobody bids against anybody.
  serveOnly(1, (symbol) => symbol !== 'ZEN')
  serveOnly(2, (symbol) => symbol === 'ZEN')
  await until(async () => {
    const page = await relayer.intents({ limit: 1 }).catch(() => null)
    return page?.notIndexedYet.length === 0
  })
})
afterAll(async () => {
  stopping.abort()
  await following
  await devnet?.stop()
  removeClusterDirectory(join(directory, 'postgres'))
  rmSync(directory, { recursive: true, force: true })
})

/** Changes a solver's policy under its feet, as its operator would. */
function serveOnly(solver: number, keeps: (symbol: string) => boolean): void {
  const path = join(directory, `solver-${solver}.policy.json`)
  const policy = JSON.parse(readFileSync(path, 'utf8'))
  const prices = Object.entries(policy.prices).filter(([symbol]) => keeps(symbol))
  writeFileSync(path, JSON.stringify({ ...policy, prices: Object.fromEntries(prices) }))
}

/** Sends all creations, mined in this order, and tells the recipients of those that say so at once. */
async function createAll(stories: readonly Story[]): Promise<void> {
  const key = await relayer.eciesPublicKey()
  const next = new Map<TrafficChain, bigint>()
  const mined: Promise<unknown>[] = []
  for (const story of stories) {
    const source = chains[story.from]!
    const destination = chains[1 - story.from]!
    const sequence = (next.get(source) ?? 0n) + 1n
    next.set(source, sequence)
    const id = packIntentId(source.chainId, sequence)
    const { amountA, expectedAmountB, reward, bundle } = termsOf(story, SEED, id)
    const params = {
      tokenA: source.contracts.tokens[story.tokenA],
      tokenB: destination.contracts.tokens[story.tokenB],
      ...{ amountA, expectedAmountB, reward },
      destChainId: BigInt(destination.chainId),
      auctionDuration: BigInt(fateFor(story).auctionSeconds),
    }
    const from = source.senders[0]!
    const blob =
      story.told === 'blob'
        ? sealCreationBlob(key, {
            ...{ ...bundle, params, sourceChainId: source.chainId, user: from.address },
            ...{ bridge: source.contracts.bridge, createdAt: Math.floor(Date.now() / 1_000) },
          })
        : null
    const data = createIntentCall(params, blob)
    const hash = await from.send({ to: source.contracts.bridge, data, gas: 500_000n })
    played.push({ story, id, sourceChainId: source.chainId, destChainId: destination.chainId })
    mined.push(tellRecipients(source, hash, story, id, key))
  }
  await Promise.all(mined)
}

async function tellRecipients(
  { client, chainId }: TrafficChain,
  hash: `0x${string}`,
  story: Story,
  id: bigint,
  key: `0x${string}`,
): Promise<void> {
  const receipt = await client.waitForTransactionReceipt({ hash, pollingInterval: 200 })
  const [log] = parseEventLogs({
    abi: bridgeIntentV2Abi,
    logs: receipt.logs,
    eventName: 'IntentCreated',
  })
  expect(log?.args.intentId, story.name).toBe(id)
  const { bundle } = termsOf(story, SEED, id)
  if (story.told === 'encrypted' && story.kind !== 'cancelledAtOnce') {
    const encryptedData = sealBundle(key, { ...bundle, intentId: id, chainId })
    await relayer.storeRecipients({ intentId: id, chainId, encryptedData })
  }
  if (story.told === 'plaintext') {
    const { recipients, amounts } = bundle
    const response = await fetch(`${devnet.file.api}/store-recipients`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        ...{ intentId: String(id), chainId, recipients, amounts: amounts.map(String) },
      }),
    })
    expect(response.status, await response.text()).toBe(200)
    expect(response.headers.get('deprecation')).not.toBeNull()
  }
}

/** Kills a solver's process again and again, each time some moments after it is at work again. */
async function killAgainAndAgain(times: number): Promise<void> {
  const draw = drawFor(SEED, 'kills')
  let last = 0
  for (let time = 0; time < times; time++) {
    await until(async () => {
      if ((devnet.rolePids()['solver-2'] ?? last) === last) return false
      const now = await status(`${devnet.file.solvers[1]?.url}/status`).catch(() => null)
      return now !== null && now.stats.lastRoundAt !== null
    })
    await new Promise((resolve) => setTimeout(resolve, draw.between(0, 4_000)))
    last = devnet.rolePids()['solver-2'] ?? 0
    process.kill(last, 'SIGKILL')
  }
}

const status = async (path: string) => {
  // biome-ignore lint/suspicious/noExplicitAny: looked at field by field
  return (await (await fetch(path)).json()) as any
}

describe('twenty intents of mixed fate, and some whose solver is killed', () => {
  it('all come to their end, over HTTP and on chain', async () => {
    const before = createLedger()
    const cast: Cast = {
      sender: sender!.address,
      solver: solvers[0]!.address,
      rogue: rogue.address,
      bridge: chains[0]!.contracts.bridge,
    }
    const underKills: Cast = { ...cast, solver: solvers[1]!.address }
    const watched = [...Object.values(cast), ...Object.values(underKills)]
    const unique = [...new Set(watched)]
    await addBalances(before, chains, unique, -1n)

    const stories = [...STORIES, ...UNDER_KILLS]
    const fates = new Map<bigint, ReturnType<typeof fateFor>>()
    following = followIntents(
      {
        ...{ chains, relayer, seed: SEED, windows: DEVNET_WINDOWS, perMinute: 0 },
        log: createLog('player', { level: 'silent' }),
        fateOf: (id) => fates.get(id) ?? null,
      },
      stopping.signal,
    )
    await createAll(stories)
    for (const { id, story } of played) fates.set(id, fateFor(story))
    const killing = killAgainAndAgain(KILLS)
    for (const [at, { id, story }] of played.entries()) {
      const isAtItsEnd = async () => {
        const record = await relayer.intentDetails(id).catch(() => null)
        return record?.isTerminal === true
      }
      await until(isAtItsEnd)
      const record = await relayer.intentDetails(id)
      // One that is killed may come too late; then it must not have paid.
      if (story.isUnderKills)
        played[at] = { ...played[at]!, story: { ...story, ends: record.status } }
      else expect(record.status, story.name).toBe(story.ends)
    }
    await killing
    const survived = played.filter(({ story }) => story.isUnderKills && story.ends === 'completed')
    console.log(`${survived.length} of ${UNDER_KILLS.length} completed over ${KILLS} kills`)
    expect(survived).not.toEqual([])

    const predicted = createLedger()
    for (const one of played)
      predict(predicted, one, one.story.isUnderKills ? underKills : cast, SEED)
    const others = predicted.accounts().filter((account) => !unique.includes(account))
    await addBalances(before, chains, [...unique, ...others], 1n)
    expect(before.lines()).toEqual(predicted.lines())
  })

  it('were delivered once each, and settled once each', async () => {
    for (const { client, contracts } of chains) {
      const logs = await client.getContractEvents({
        ...{ address: contracts.bridge, abi: bridgeIntentV2Abi, fromBlock: 0n, strict: true },
      })
      for (const name of ['IntentSolved', 'IntentSettled'] as const) {
        const ids = logs
          .filter(({ eventName }) => eventName === name)
          .map(({ args }) => (args as { intentId: bigint }).intentId)
        expect(new Set(ids).size).toBe(ids.length)
      }
    }
  })

  it('leave the solvers with nothing at stake, and their own account of it right', async () => {
    const [first, second] = devnet.file.solvers
    const completed = STORIES.filter(({ ends }) => ends === 'completed').length
    const isDone = async (url = '') => {
      const now = await status(`${url}/status`).catch(() => null)
      return now?.stats.active === 0
    }
    await until(() => isDone(first?.url))
    const { stats, ...rest } = await status(`${first?.url}/status`)
    expect(stats).toMatchObject({ settled: completed, slashed: 0, exposure: '0.000000' })
    expect(rest).toMatchObject({ success: true, running: true, activeIntents: 0 })
    expect(Object.keys(rest.networks)).toEqual(['base_sepolia', 'horizen_testnet'])
    await until(() => isDone(second?.url))
    const other = await status(`${second?.url}/status`)
    const ended = (how: string) =>
      played.filter(({ story }) => story.isUnderKills && story.ends === how).length
    expect(other.stats).toMatchObject({ settled: ended('completed'), slashed: ended('failed') })
    expect(await status(`${first?.url}/active-intents`)).toEqual({
      ...{ success: true, count: 0, intents: [] },
    })
    const { id } = played[0]!
    expect(await status(`${first?.url}/intent-status/${id}/base_sepolia`)).toMatchObject({
      ...{ success: true, found: true, status: 'completed', deposited: true, solved: true },
    })
  })
})

describe('a solver’s switch', () => {
  it('is for its admin alone, is idempotent, and outlives the process', async () => {
    const [, { url, adminToken } = { url: '', adminToken: '' }] = devnet.file.solvers
    const ask = (path: string, token?: string) =>
      fetch(`${url}${path}`, {
        method: 'POST',
        headers: token ? { authorization: `Bearer ${token}` } : {},
      })
    expect((await ask('/stop')).status).toBe(401)
    expect((await ask('/stop', `${adminToken.slice(0, -1)}_`)).status).toBe(403)
    expect(await (await ask('/stop', adminToken)).json()).toMatchObject({ running: false })
    expect(await (await ask('/stop', adminToken)).json()).toMatchObject({
      ...{ success: true, running: false, message: 'the solver was stopped already' },
    })
    process.kill(devnet.rolePids()['solver-2'] ?? 0, 'SIGKILL')
    await until(async () => {
      const again = await status(`${url}/status`).catch(() => null)
      return again?.running === false
    })
    expect(await (await ask('/start', adminToken)).json()).toMatchObject({ running: true })
  })
})

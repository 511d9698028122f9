import { existsSync, readFileSync } from 'node:fs'
import { hexToBytes, parseEventLogs } from 'viem'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { deriveDevnetAccounts } from '../../../devnet/accounts.ts'
import { DEVNET_WINDOWS } from '../../../devnet/bridgeWindows.ts'
import type { ScenarioKind } from '../../../devnet/traffic/scenario.ts'
import { takeDueIntentSteps } from '../../../devnet/traffic/takeDueIntentSteps.ts'
import type { TrafficChain } from '../../../devnet/traffic/trafficChainClient.ts'
import { sealBundle } from '../../../sdk/seal/sealBundle.ts'
import { createLog } from '../../../services/log/createLog.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { DEVNET_POLLING } from '../../rig/devnetProcess.ts'
import { until } from '../../rig/until.ts'
import { plantSecrets } from '../secrets/plantSecrets.ts'
import { listSearchedPlaces } from '../secrets/searchedPlaces.ts'
import { createSecretSearch, listEncodings } from '../secrets/secretEncodings.ts'
import { type Cast, type Played, predictBalances } from './expectedBalances.ts'
import { addBalances, createLedger } from './ledger.ts'
import { type MoneyTestbed, startMoneyTestbed } from './moneyTestbed.ts'
import {
  buildTerms,
  calculateOwnPrice,
  findScenario,
  PLANNED_INTENTS,
  type PlannedIntent,
} from './plannedIntent.ts'
import { type Outcome, readOutcome } from './readOutcome.ts'
import { sendPlannedIntent } from './sendPlannedIntent.ts'

const SEED = 41

/** Longer than what they wait for, so that a failure names it. */
vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 })

/**
 * Of the second pickup window, a fifth passes before a rescue pays; of the execution window, a quarter before the solver
 * asks for recipients on chain. It needs the rest on a busy machine. The intents that nobody picks up still end before
 * those that nobody delivers.
 */
const WINDOWS = { ...DEVNET_WINDOWS, pickup: 14, execution: 32 }

let testbed: MoneyTestbed
let following: Promise<void> | undefined
const stopping = new AbortController()
const played: Played[] = []
const { solvers, rogue, senders } = deriveDevnetAccounts()
const [sender] = senders

beforeAll(async () => {
  // Log everything: the logs are searched for secrets at the end.
  testbed = await startMoneyTestbed({
    windows: WINDOWS,
    logLevel: 'trace',
    postgresSettings: { log_statement: 'all' },
  })
})
afterAll(async () => {
  stopping.abort()
  await following
  await testbed?.stop()
})

/** Sends all creations, mined in this order, and stores recipients for those that do so at once. */
async function createAll(intents: readonly PlannedIntent[]): Promise<void> {
  const { chains, relayer } = testbed
  const key = await relayer.eciesPublicKey()
  const next = [0n, 0n]
  const mined: Promise<unknown>[] = []
  for (const planned of intents) {
    const sequence = (next[planned.from] ?? 0n) + 1n
    next[planned.from] = sequence
    const sent = await sendPlannedIntent(chains, planned, { sequence, seed: SEED, key })
    played.push(sent.played)
    mined.push(tellRecipients(chains[planned.from], sent.hash, planned, sent.played.id, key))
  }
  await Promise.all(mined)
}

async function tellRecipients(
  { client, chainId }: TrafficChain,
  hash: `0x${string}`,
  planned: PlannedIntent,
  id: bigint,
  key: `0x${string}`,
): Promise<void> {
  const receipt = await client.waitForTransactionReceipt({ hash, pollingInterval: 200 })
  const [log] = parseEventLogs({
    abi: bridgeIntentV2Abi,
    logs: receipt.logs,
    eventName: 'IntentCreated',
  })
  expect(log?.args.intentId, planned.name).toBe(id)
  const { bundle } = buildTerms(planned, SEED, id)
  if (planned.naming === 'encrypted' && planned.kind !== 'cancelledAtOnce') {
    const encryptedData = sealBundle(key, { ...bundle, intentId: id, chainId })
    await testbed.relayer.storeRecipients({ intentId: id, chainId, encryptedData })
  }
  if (planned.naming === 'plaintext') {
    const { recipients, amounts } = bundle
    const response = await fetch(`${testbed.devnet.file.api}/store-recipients`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        intentId: String(id),
        chainId,
        recipients,
        amounts: amounts.map(String),
      }),
    })
    expect(response.status, await response.text()).toBe(200)
    expect(response.headers.get('deprecation')).not.toBeNull()
  }
}

/** The fields of a solver's `/status` that are checked individually. */
type SolverStatus = { running: boolean; networks: object; stats: { active: number } }

const ask = async (url: string): Promise<unknown> => (await fetch(url)).json()

const statusOf = async (url = '') => (await ask(`${url}/status`)) as SolverStatus

/** Margin of the solver that serves all of these. */
const MARGIN = 6

/** Scenarios in which the bidder or the winner forfeits its lock. */
const FORFEITED: readonly ScenarioKind[] = [
  ...(['abandoned', 'spoiled', 'undelivered', 'lateDelivery', 'shortDelivery'] as const),
]

/** The outcomes that the rules leave to chance. */
async function checkedFacts({ planned, id }: Played): Promise<Outcome> {
  const facts = await readOutcome(testbed.chains[planned.from], id)
  const { won, forfeiters } = facts
  if (planned.kind !== 'rescued') {
    const expected = FORFEITED.includes(planned.kind) ? [rogue.address] : []
    expect(forfeiters, planned.name).toEqual(expected)
  }
  if (planned.ends !== 'completed' || !won) return facts
  const { expectedAmountB } = buildTerms(planned, SEED, id)
  const ownPrice = calculateOwnPrice(planned, SEED, id, MARGIN)
  if (planned.kind === 'asked') expect(won).toEqual({ by: rogue.address, amountB: expectedAmountB })
  else expect(won.by, planned.name).toBe(solvers[0]!.address)
  // The safeguard bid, where a busy machine missed the auction's last blocks.
  if (planned.kind === 'completed' || planned.kind === 'refused')
    expect([expectedAmountB, ownPrice], planned.name).toContain(won.amountB)
  return facts
}

describe('intents with different outcomes', () => {
  it('all end, over HTTP and on chain', async () => {
    const { chains, relayer } = testbed
    const before = createLedger()
    const { bridge } = chains[0].contracts
    const cast: Cast = { sender: sender!.address, rogue: rogue.address, bridge }
    const watched = [...Object.values(cast), solvers[0]!.address]
    await addBalances(before, chains, watched, -1n)

    const scenarios = new Map<bigint, ReturnType<typeof findScenario>>()
    following = takeDueIntentSteps(
      {
        chains: [...chains],
        relayer,
        seed: SEED,
        windows: WINDOWS,
        perMinute: 0,
        log: createLog('player', { level: 'silent' }),
        scenarioOf: (id) => scenarios.get(id) ?? null,
      },
      stopping.signal,
    )
    await createAll(PLANNED_INTENTS)
    for (const { id, planned } of played) scenarios.set(id, findScenario(planned))
    for (const { id, planned } of played) {
      const isAtItsEnd = async () => {
        const record = await relayer.intentDetails(id).catch(() => null)
        return record?.isTerminal === true
      }
      await until(isAtItsEnd, `the end of: ${planned.name}`, DEVNET_POLLING)
      expect((await relayer.intentDetails(id)).status, planned.name).toBe(planned.ends)
    }

    const predicted = createLedger()
    for (const one of played) predictBalances(predicted, one, await checkedFacts(one), cast, SEED)
    const others = predicted.accounts().filter((account) => !watched.includes(account))
    await addBalances(before, chains, [...watched, ...others], 1n)
    expect(before.lines()).toEqual(predicted.lines())
  })

  it('were delivered once each, and settled once each', async () => {
    for (const { client, contracts } of testbed.chains) {
      const logs = await client.getContractEvents({
        address: contracts.bridge,
        abi: bridgeIntentV2Abi,
        fromBlock: 0n,
        strict: true,
      })
      for (const name of ['IntentSolved', 'IntentSettled'] as const) {
        const ids = logs
          .filter(({ eventName }) => eventName === name)
          .map(({ args }) => (args as { intentId: bigint }).intentId)
        expect(new Set(ids).size).toBe(ids.length)
      }
    }
  })

  it('leave the solvers with no locked stake and correct accounts', async () => {
    const [first, second] = testbed.devnet.file.solvers
    const completed = PLANNED_INTENTS.filter(
      ({ ends, kind }) => ends === 'completed' && kind !== 'asked',
    ).length
    const isDone = async (url = '') => {
      const now = await statusOf(url).catch(() => null)
      return now?.stats.active === 0
    }
    await until(() => isDone(first?.url), 'the solver has no active intent', DEVNET_POLLING)
    const { stats, ...rest } = await statusOf(first?.url)
    expect(stats).toMatchObject({ settled: completed, slashed: 0, exposure: '0.000000' })
    expect(rest).toMatchObject({ success: true, running: true, activeIntents: 0 })
    expect(Object.keys(rest.networks)).toEqual(['base_sepolia', 'horizen_testnet'])
    // None of these is in the token that it accepts.
    const other = await statusOf(second?.url)
    expect(other.stats).toMatchObject({ settled: 0, slashed: 0, exposure: '0.000000' })
    expect(await ask(`${first?.url}/active-intents`)).toEqual({
      success: true,
      count: 0,
      intents: [],
    })
    const { id } = played[0]!
    expect(await ask(`${first?.url}/intent-status/${id}/base_sepolia`)).toMatchObject({
      success: true,
      found: true,
      status: 'completed',
      deposited: true,
      solved: true,
    })
  })
})

describe('a solver’s switch', () => {
  it('works only for its admin, is idempotent, and survives a restart', async () => {
    const [, { url, adminToken } = { url: '', adminToken: '' }] = testbed.devnet.file.solvers
    const flip = (path: string, token?: string) =>
      fetch(`${url}${path}`, {
        method: 'POST',
        headers: token ? { authorization: `Bearer ${token}` } : {},
      })
    expect((await flip('/stop')).status).toBe(401)
    expect((await flip('/stop?nonsense=1')).status).toBe(401)
    const almost = adminToken.slice(0, -1) + (adminToken.endsWith('_') ? '-' : '_')
    expect((await flip('/stop', almost)).status).toBe(403)
    expect(await (await flip('/stop', adminToken)).json()).toMatchObject({ running: false })
    expect(await (await flip('/stop', adminToken)).json()).toMatchObject({
      success: true,
      running: false,
      message: 'the solver was already stopped',
    })
    process.kill(testbed.devnet.rolePids()['solver-2'] ?? 0, 'SIGKILL')
    await until(
      async () => {
        const again = await statusOf(url).catch(() => null)
        return again?.running === false
      },
      'the solver is started again, and stopped',
      DEVNET_POLLING,
    )
    expect(await (await flip('/start', adminToken)).json()).toMatchObject({ running: true })
  })
})

describe('the secrets', () => {
  it.runIf(existsSync('/proc/self/environ'))(
    'begin with a root that only the enclave knows',
    () => {
      const naming = Object.entries(testbed.devnet.rolePids()).filter(([, pid]) =>
        readFileSync(`/proc/${pid}/environ`, 'utf8').includes('ENCLAVE_ROOT_FILE'),
      )
      expect(naming.map(([role]) => role)).toEqual(['enclave'])
    },
  )

  it('appear in no log, database table, answer or process argument', async () => {
    const named = (name: string) => played.find(({ planned }) => planned.name === name)!
    const unpaid = {
      encrypted: named('cancelled later'),
      plaintext: named('abandoned'),
      blob: named('too expensive'),
    }
    const { secrets, answers } = await plantSecrets(testbed, unpaid, SEED)
    expect(secrets.size).toBeGreaterThanOrEqual(12)
    const answered = answers.map((text, at) => ({ name: `answer ${at}`, text }))
    const haystacks = [...(await listSearchedPlaces(testbed)), ...answered]
    const findSecrets = createSecretSearch(secrets)
    const found = haystacks.flatMap(({ name, text }) =>
      findSecrets(text).map((secret) => `${secret} in ${name}`),
    )
    expect(found).toEqual([])
    // The search works: it finds what isn't secret.
    const findSender = createSecretSearch(
      new Map([['the sender', listEncodings(hexToBytes(sender!.address))]]),
    )
    const shown = haystacks.filter(({ text }) => findSender(text).length > 0)
    const places = shown.map(({ name }) => name)
    expect(places).toContain('postgres.log')
    expect(places.some((name) => /^cairn: cairn_\d+_\w+\.intent$/.test(name))).toBe(true)
    const naming = haystacks.filter(({ text }) => text !== '').map(({ name }) => name)
    const roles = ['api', 'enclave', 'indexer', 'reactions', 'solver-1', 'solver-2']
    for (const role of roles) expect(naming).toContain(`${role}.log`)
    const names = haystacks.map(({ name }) => name)
    for (const table of ['cairn: graphile_worker._private_jobs', 'cairn: app.bundle'])
      expect(names).toContain(table)
    expect(haystacks.find(({ name }) => name === 'process arguments')?.text).toContain('main.ts')
  })
})

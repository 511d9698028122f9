import { setTimeout as pause } from 'node:timers/promises'
import type { Address } from 'viem'
import { type DevnetAccount, deriveDevnetAccounts } from '../../devnet/accounts.ts'
import { bridgeIntentV2Abi } from '../../src/event/abi/bridgeIntentV2.ts'
import { type Cast, type Played, predictBalances } from '../e2e/money/expectedBalances.ts'
import { addBalances, createLedger } from '../e2e/money/ledger.ts'
import type { MoneyTestbed } from '../e2e/money/moneyTestbed.ts'
import { type Outcome, readOutcome } from '../e2e/money/readOutcome.ts'
import type { Campaign, CampaignReport } from './campaign.ts'

/** Events that may occur at most once per intent, across both chains. */
const ONCE = [
  ...(['IntentCreated', 'IntentAnchored', 'SolverDeposited', 'IntentSolved'] as const),
  ...(['IntentSettled', 'IntentCancelled', 'IntentRefunded'] as const),
]

/** Final statuses of the intents, and what went wrong. */
type Verdict = Pick<CampaignReport, 'ends' | 'late' | 'overtaken' | 'problems'>

/** USDC minted on the first chain after the balances were recorded. */
type Given = { to: Address; amount: bigint }

type Judgement = {
  /** Waits for every intent to end; reports how they ended and what is wrong. */
  verdict(played: readonly Played[], given?: readonly Given[]): Promise<Verdict>
}

/** Records all balances before the first intent. */
export async function judgeCampaign(
  testbed: MoneyTestbed,
  { seed, patienceMs }: Pick<Campaign, 'seed' | 'patienceMs'>,
): Promise<Judgement> {
  const { chains } = testbed
  const [{ contracts }] = chains
  const known = [...accountsOfAll(), contracts.bridge]
  const change = createLedger()
  await addBalances(change, chains, known, -1n)
  return {
    verdict: async (sent, given = []) => {
      const { played, ...reported } = await endsOf(testbed, sent, patienceMs)
      const predicted = createLedger()
      const facts = await Promise.all(
        played.map((one) => readOutcome(chains[one.planned.from], one.id)),
      )
      for (const [at, one] of played.entries())
        predictBalances(predicted, one, facts[at]!, castOf(contracts.bridge), seed)
      for (const { to, amount } of given) predicted.add(to, chains[0].chainId, 'USDC', amount)
      const recipients = predicted.accounts().filter((account) => !known.includes(account))
      await addBalances(change, chains, [...known, ...recipients], 1n)
      const problems = [
        ...reported.problems,
        ...differences(change.lines(), predicted.lines()),
        ...(await doneTwice(testbed, played)),
        ...(await atStake(testbed, played, facts)),
      ]
      return { ...reported, problems }
    },
  }
}

function accountsOfAll(): Address[] {
  const every = Object.values(deriveDevnetAccounts()).flat() as DevnetAccount[]
  return every.map(({ address }) => address)
}

function castOf(bridge: Address): Cast {
  const { senders, rogue } = deriveDevnetAccounts()
  if (!senders[0]) throw new Error('the devnet has no senders')
  return { sender: senders[0].address, rogue: rogue.address, bridge }
}

/** Waits until all intents have ended. @returns how each ended */
async function endsOf(
  { relayer }: MoneyTestbed,
  sent: readonly Played[],
  patienceMs: number,
): Promise<Verdict & { played: Played[] }> {
  const deadline = performance.now() + patienceMs
  const ends: Record<string, number> = {}
  const [late, overtaken, problems]: [string[], string[], string[]] = [[], [], []]
  const played: Played[] = []
  for (const one of sent) {
    const { id, planned, tranche } = one
    let record = await relayer.intentDetails(id).catch(() => null)
    while (!record?.isTerminal && performance.now() < deadline) {
      await pause(250)
      record = await relayer.intentDetails(id).catch(() => null)
    }
    const end = record?.status ?? 'pending'
    ends[end] = (ends[end] ?? 0) + 1
    played.push({ ...one, planned: { ...planned, ends: end } })
    if (!record?.isTerminal) problems.push(`intent ${id} (${planned.name}) is lost: ${end}`)
    else if (end !== planned.ends && tranche === undefined) {
      const words = `intent ${id} (${planned.name}) is ${end}, but should be ${planned.ends}`
      if (planned.ends === 'completed') late.push(words)
      else overtaken.push(words)
    }
  }
  return { ends, late, overtaken, problems, played }
}

function differences(actual: string[], predicted: string[]): string[] {
  return [
    ...actual.filter((line) => !predicted.includes(line)).map((line) => `balance: ${line}`),
    ...predicted.filter((line) => !actual.includes(line)).map((line) => `predicted: ${line}`),
  ]
}

/** Counts every intent on chain, so one we did not send also fails the check. */
async function doneTwice({ chains }: MoneyTestbed, played: readonly Played[]): Promise<string[]> {
  const counts = new Map<string, number>()
  for (const { client, contracts } of chains) {
    const logs = await client.getContractEvents({
      address: contracts.bridge,
      abi: bridgeIntentV2Abi,
      fromBlock: 0n,
      strict: true,
    })
    for (const { eventName, args } of logs) {
      if (!ONCE.some((name) => name === eventName)) continue
      const key = `${eventName} of intent ${(args as { intentId: bigint }).intentId}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
  }
  const created = [...counts.keys()].filter((key) => key.startsWith('IntentCreated')).length
  return [
    ...(created === played.length ? [] : [`${created} intents created, ${played.length} sent`]),
    ...[...counts].filter(([, count]) => count > 1).map(([key, count]) => `${count} times: ${key}`),
  ]
}

/** Checks the solvers' own accounts once all is over: every bond and payment must be accounted for. */
async function atStake(
  { devnet }: MoneyTestbed,
  played: readonly Played[],
  facts: readonly Outcome[],
): Promise<string[]> {
  const problems: string[] = []
  for (const { name, url, address } of devnet.file.solvers) {
    const settled = played.filter(
      ({ planned }, at) => planned.ends === 'completed' && facts[at]?.won?.by === address,
    ).length
    const slashed = facts.filter(({ forfeiters }) => forfeiters.includes(address)).length
    const expected = JSON.stringify({ active: 0, settled, slashed, exposure: '0.000000' })
    const deadline = performance.now() + 60_000
    let said = ''
    while (said !== expected && performance.now() < deadline) {
      const { stats } = await (await fetch(`${url}/status`)).json()
      said = JSON.stringify({
        active: stats.active,
        settled: stats.settled,
        slashed: stats.slashed,
        exposure: stats.exposure,
      })
      if (said !== expected) await pause(500)
    }
    if (said !== expected) problems.push(`${name} reports ${said}; expected ${expected}`)
  }
  return problems
}

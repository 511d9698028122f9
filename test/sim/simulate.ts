import { setTimeout as pause } from 'node:timers/promises'
import { type SeededRandom, seededRandom } from '../rig/seededRandom.ts'
import { checkIndex, type SeenEvents } from './checkIndex.ts'
import { NODE_FAULTS } from './flakyNode.ts'
import { reorganise } from './reorganise.ts'
import {
  openSimulationTestbed,
  type SimulatedChain,
  type SimulationTestbed,
} from './simulationTestbed.ts'

type Simulation = {
  seed: number
  /** Rounds of faults, recovery and checks. */
  rounds: number
  /** Receives progress, line by line. */
  log(line: string): void
}

/** Actions per round, and roughly how many faults. */
const ACTIONS = 24
const FAULTS = 5
/** Longest pause between two actions, in milliseconds, so that faults hit the indexer in mid-work. */
const LONGEST_PAUSE_MS = 200

/**
 * Plays random traffic on two chains under random reorganisations, RPC faults, and kills of the indexer and PostgreSQL,
 * and checks after each round that the index equals a replay. The seed determines the actions and their order; timing
 * depends on the machine.
 *
 * @throws with the indexer's latest log lines when they differ
 */
export async function simulate({ seed, rounds, log }: Simulation): Promise<void> {
  const random = seededRandom(seed)
  const testbed = await openSimulationTestbed(random.split())
  const seen: SeenEvents = new Set()
  try {
    for (let round = 1; round <= rounds; round++) {
      const did = await runRound(testbed, random)
      const healing = Date.now()
      for (const { node } of testbed.chains) node.setFault('none')
      const rows = await checkIndex(testbed.postgres, testbed.chains, seen)
      const seconds = ((Date.now() - healing) / 1_000).toFixed(1)
      log(`round ${round}: ${did}; recovered in ${seconds} s, ${rows} rows equal`)
    }
  } catch (error) {
    const lines = testbed.indexer.lastLines().join('\n')
    throw new Error(
      `${error instanceof Error ? error.message : error}\nthe indexer's log:\n${lines}`,
    )
  } finally {
    await testbed.close()
  }
}

/** Runs one round of traffic and faults. @returns a summary */
async function runRound(testbed: SimulationTestbed, random: SeededRandom): Promise<string> {
  let taken = 0
  const faults: string[] = []
  for (let left = ACTIONS; left > 0; left--) {
    const chain = random.pick(testbed.chains)
    if (await chain.traffic.act()) taken += 1
    await rememberHeads(testbed.chains)
    if (random.whole(1, ACTIONS) <= FAULTS) {
      const fault = await FAULT_KINDS[random.pick(WEIGHTED_FAULTS)]!(testbed, random)
      if (fault) faults.push(fault)
    }
    await pause(random.whole(0, LONGEST_PAUSE_MS))
  }
  return [`${taken} of ${ACTIONS} actions`, ...faults].join(', ')
}

async function rememberHeads(chains: readonly SimulatedChain[]): Promise<void> {
  for (const chain of chains) {
    const head = Number(await chain.bridge.client.getBlockNumber({ cacheTime: 0 }))
    chain.highest = Math.max(chain.highest, head)
  }
}

type InjectFault = (testbed: SimulationTestbed, random: SeededRandom) => Promise<string | null>

const FAULT_KINDS: Record<string, InjectFault> = {
  async reorg({ chains }, random) {
    const chain = random.pick(chains)
    const done = await reorganise(chain.bridge, chain.highest, random)
    return done && `${chain.bridge.name}: ${done}`
  },
  async node({ chains }, random) {
    const { bridge, node } = random.pick(chains)
    const fault = random.pick(NODE_FAULTS)
    node.setFault(fault)
    return `${bridge.name} ${fault}`
  },
  async killPonder({ chains, indexer }, random) {
    const { bridge } = random.pick(chains)
    return indexer.killPonder(bridge.chainId) ? `killed the Ponder of ${bridge.name}` : null
  },
  async killIndexer({ indexer }) {
    indexer.kill()
    return 'killed the indexer'
  },
  async crashPostgres({ postgres }, random) {
    await postgres.crash()
    await pause(random.whole(0, 1_000))
    await postgres.restart()
    return 'crashed PostgreSQL'
  },
}

/** Reorganisations and RPC faults are common, kills are rare. */
const WEIGHTED_FAULTS = [
  ...['reorg', 'reorg', 'reorg', 'node', 'node', 'node'],
  ...['killPonder', 'killIndexer', 'crashPostgres'],
]

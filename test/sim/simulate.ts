import { setTimeout as pause } from 'node:timers/promises'
import { checkIndex, type SeenEvents } from './checkIndex.ts'
import { type Dice, dice } from './dice.ts'
import { reorganise } from './reorganise.ts'
import { openStage, type SimulatedChain, type Stage } from './stage.ts'
import { WEATHERS } from './stormyNode.ts'

type Simulation = {
  seed: number
  /** Times that everything is disturbed, healed and checked. */
  rounds: number
  /** Told what happens, a line at a time. */
  tell(line: string): void
}

/** What a round consists of, more or less. */
const DEEDS = 24
const DISTURBANCES = 5
/** Between two of them, at most, in milliseconds: time for the indexer to be in the middle of it. */
const LONGEST_PAUSE_MS = 200

/**
 * Plays random traffic on two chains under random reorganisations, RPC faults, and kills of the
 * indexer and of PostgreSQL, and checks after each round that the index is what a replay gives.
 * The seed decides what is done, in which order; the machine, how far each part has come by then.
 *
 * @throws with the indexer's latest log lines when the index is not
 */
export async function simulate({ seed, rounds, tell }: Simulation): Promise<void> {
  const chance = dice(seed)
  const stage = await openStage(chance.split())
  const seen: SeenEvents = new Set()
  try {
    for (let round = 1; round <= rounds; round++) {
      const did = await disturb(stage, chance)
      const healing = Date.now()
      for (const { node } of stage.chains) node.setWeather('calm')
      const rows = await checkIndex(stage.postgres, stage.chains, seen)
      const seconds = ((Date.now() - healing) / 1_000).toFixed(1)
      tell(`round ${round}: ${did}; healed in ${seconds} s, ${rows} rows equal`)
    }
  } catch (error) {
    const lines = stage.indexer.lastLines().join('\n')
    throw new Error(
      `${error instanceof Error ? error.message : error}\nthe indexer's log:\n${lines}`,
    )
  } finally {
    await stage.close()
  }
}

/** One round of traffic and trouble. @returns what was done, in words. */
async function disturb(stage: Stage, chance: Dice): Promise<string> {
  let taken = 0
  const troubles: string[] = []
  for (let left = DEEDS; left > 0; left--) {
    const chain = chance.pick(stage.chains)
    if (await chain.traffic.act()) taken += 1
    await rememberHeads(stage.chains)
    if (chance.whole(1, DEEDS) <= DISTURBANCES) {
      const trouble = await TROUBLES[chance.pick(LIKELY)]!(stage, chance)
      if (trouble) troubles.push(trouble)
    }
    await pause(chance.whole(0, LONGEST_PAUSE_MS))
  }
  return [`${taken} of ${DEEDS} deeds`, ...troubles].join(', ')
}

async function rememberHeads(chains: readonly SimulatedChain[]): Promise<void> {
  for (const chain of chains) {
    const head = Number(await chain.bridge.client.getBlockNumber({ cacheTime: 0 }))
    chain.highest = Math.max(chain.highest, head)
  }
}

type Trouble = (stage: Stage, chance: Dice) => Promise<string | null>

const TROUBLES: Record<string, Trouble> = {
  async reorg({ chains }, chance) {
    const chain = chance.pick(chains)
    const done = await reorganise(chain.bridge, chain.highest, chance)
    return done && `${chain.bridge.name}: ${done}`
  },
  async weather({ chains }, chance) {
    const { bridge, node } = chance.pick(chains)
    const weather = chance.pick(WEATHERS)
    node.setWeather(weather)
    return `${bridge.name} ${weather}`
  },
  async killPonder({ chains, indexer }, chance) {
    const { bridge } = chance.pick(chains)
    return indexer.killPonder(bridge.chainId) ? `killed the Ponder of ${bridge.name}` : null
  },
  async killIndexer({ indexer }) {
    indexer.kill()
    return 'killed the indexer'
  },
  async crashPostgres({ postgres }, chance) {
    await postgres.crash()
    await pause(chance.whole(0, 1_000))
    await postgres.restart()
    return 'crashed PostgreSQL'
  },
}

/** Reorganisations and bad weather are daily business, a kill is not. */
const LIKELY = [
  ...['reorg', 'reorg', 'reorg', 'weather', 'weather', 'weather'],
  ...['killPonder', 'killIndexer', 'crashPostgres'],
]

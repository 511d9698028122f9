import { startBridgePair } from '../integration/indexer/bridgePair.ts'
import {
  becomesLive,
  startTestDatabase,
  startTestIndexer,
} from '../integration/indexer/indexerUnderTest.ts'
import { playReorg } from './playReorg.ts'
import { allReorgCases, REORG_STEPS, type ReorgCase } from './reorgCases.ts'

/** Plays every case of the reorg matrix. @throws at the first that fails */
export async function playAllReorgs(tell: (line: string) => void): Promise<void> {
  const cases = allReorgCases()
  // Chains of their own for each step: a development node keeps the states of so many blocks only.
  for (const step of REORG_STEPS) {
    await playOnFreshChains(
      cases.filter((one) => one.step === step),
      tell,
    )
  }
  tell(`${cases.length} reorganisations sound`)
}

async function playOnFreshChains(
  cases: readonly ReorgCase[],
  tell: (line: string) => void,
): Promise<void> {
  const [pair, database] = await Promise.all([startBridgePair(), startTestDatabase()])
  const chains = [pair.base, pair.horizen]
  await Promise.all(chains.map(({ client }) => client.mine({ blocks: 70 })))
  const indexer = await startTestIndexer(
    database.url,
    chains.map(({ config }) => config),
  )
  try {
    await Promise.all(chains.map((chain) => becomesLive(indexer, chain)))
    for (const one of cases) {
      await playReorg({ pair, databaseUrl: database.url, client: database.client }, one)
      tell(`${one.step}, ${one.depth} deep, ${one.fate}: sound`)
    }
  } finally {
    await indexer.stop()
    await Promise.all([pair.stop(), database.stop()])
  }
}

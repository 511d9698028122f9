import { startBridgePair } from '../integration/indexer/bridgePair.ts'
import {
  awaitLive,
  startTestDatabase,
  startTestIndexer,
} from '../integration/indexer/indexerUnderTest.ts'
import { listAllReorgCases, REORG_STEPS, type ReorgCase } from './reorgCases.ts'
import { runReorgCase } from './runReorgCase.ts'

/** Runs every case of the reorg matrix. @throws at the first failure */
export async function runReorgCases(log: (line: string) => void): Promise<void> {
  const cases = listAllReorgCases()
  // Fresh chains for each step: a development node keeps only a limited number of block states.
  for (const step of REORG_STEPS) {
    await playOnFreshChains(
      cases.filter((one) => one.step === step),
      log,
    )
  }
  log(`${cases.length} reorganisations sound`)
}

async function playOnFreshChains(
  cases: readonly ReorgCase[],
  log: (line: string) => void,
): Promise<void> {
  const [pair, database] = await Promise.all([startBridgePair(), startTestDatabase()])
  const chains = [pair.base, pair.horizen]
  await Promise.all(chains.map(({ client }) => client.mine({ blocks: 70 })))
  const indexer = await startTestIndexer(
    database.url,
    chains.map(({ config }) => config),
  )
  try {
    await Promise.all(chains.map((chain) => awaitLive(indexer, chain)))
    for (const one of cases) {
      await runReorgCase({ pair, databaseUrl: database.url, client: database.client }, one)
      log(`${one.step}, ${one.depth} deep, ${one.fate}: sound`)
    }
  } finally {
    await indexer.stop()
    await Promise.all([pair.stop(), database.stop()])
  }
}

import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take fifteen seconds or more, longest first. */
const LONGEST = [
  'test/e2e/start/startWithNpm.test.ts',
  'test/e2e/money/balancesAfterEveryOutcome.test.ts',
  'test/e2e/chaos/kills.test.ts',
  'test/integration/reactions/reactions.test.ts',
  'test/integration/orders/kills.test.ts',
  'test/attack/solver/stalledNode.test.ts',
  'test/integration/replay/replay.test.ts',
  'test/integration/explorer/explorer.test.ts',
  'test/attack/malformed/malformed.test.ts',
  'test/integration/store/brokenConnection.test.ts',
  'test/integration/store/explain.test.ts',
  'test/integration/solver/solverFailures.test.ts',
  'test/integration/history/faultyProviders.test.ts',
  'test/attack/recipients/sponsorDrains.test.ts',
  'test/integration/reactions/confirmationTables.test.ts',
  'test/integration/indexer/seededSimulation.test.ts',
  'test/integration/roles/startProblems.test.ts',
  'test/attack/orders/orderAttacks.test.ts',
  'test/attack/relayer/tamperedRows.test.ts',
  'test/integration/push/push.test.ts',
  'test/integration/indexer/faults.test.ts',
  'test/integration/enclave/enclaveAttacks.test.ts',
  'test/integration/devnet/startPostgres.test.ts',
  'test/integration/indexer/kills.test.ts',
  'test/integration/orders/orders.test.ts',
  'test/integration/fold/foldKilled.test.ts',
  'test/integration/sdk/client.test.ts',
  'test/integration/transactions/sender.test.ts',
  'test/integration/reactions/enclaveSignatureQuorum.test.ts',
  'test/integration/recipients/recipients.test.ts',
  'test/integration/recipients/safeBalances.test.ts',
  'test/integration/relayer/reorgedIds.test.ts',
  'test/attack/relayer/relayerAttacks.test.ts',
  'test/integration/transactions/stuck.test.ts',
  'test/integration/proof/bridgeProof.test.ts',
  'test/integration/rest/health.test.ts',
  'test/integration/indexer/projections.test.ts',
  'test/integration/recipients/sponsoredTransactions.test.ts',
  'test/integration/relayer/relayer.test.ts',
  'test/attack/solver/lyingProvider.test.ts',
  'test/attack/solver/forgedReveal.test.ts',
  'test/integration/indexer/chainTrouble.test.ts',
]

/** Any text; each gives a different order. Reveals files that depend on what ran before them in their process. */
const { CAIRN_TEST_ORDER: ORDER } = process.env

/**
 * Starts the slowest files first, so that no worker is left alone with one at the end. The rest keep vitest's order:
 * by previous duration or by size.
 *
 * Keeps files that share processes together: a process ends when the next file belongs to another project.
 *
 * @throws when a listed file no longer exists
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config
    const gone = LONGEST.filter((file) => !existsSync(join(root, file)))
    if (gone.length > 0) throw new Error(`longestFirst.ts names ${gone.join(', ')}: no such file`)
    const sorted = await super.sort(files)
    const projects = this.ctx.projects.map(({ name }) => name)
    const placeOf = ({ project }: TestSpecification) => projects.indexOf(project.name)
    return sorted.toSorted((a, b) => placeOf(a) - placeOf(b) || rankOf(a) - rankOf(b))
  }
}

function rankOf({ moduleId }: TestSpecification): number {
  if (ORDER !== undefined) return drawnFor(moduleId.slice(moduleId.lastIndexOf('/test/')))
  const rank = LONGEST.findIndex((file) => moduleId.endsWith(`/${file}`))
  return rank < 0 ? LONGEST.length : rank
}

/** A pseudo-random rank from the file and the chosen order. */
function drawnFor(file: string): number {
  return createHash('sha256').update(`${ORDER} ${file}`).digest().readUInt32BE()
}

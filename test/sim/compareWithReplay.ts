import type { ReplayOptions } from '../../tools/replay/parseOptions.ts'
import { replay } from '../../tools/replay/replay.ts'
import { type ChainReport, describeReport, isSound } from '../../tools/replay/replayReport.ts'
import type { BridgeChain } from '../integration/indexer/bridgePair.ts'

const OPTIONS: ReplayOptions = {
  help: false,
  compare: true,
  json: false,
  asOf: null,
  asOfChain: new Map(),
  chains: [],
  exportTo: null,
  format: 'ndjson',
  differences: 10,
}

const SILENT = { progress: { show() {}, end() {} }, explain() {} }

/**
 * The oracle: replays the chains from their nodes and compares every row readers see, and the bridges' balances.
 *
 * @returns the replay's reports, in chain order
 * @throws with the report when anything differs
 */
export async function compareWithReplay(
  databaseUrl: string,
  chains: readonly BridgeChain[],
): Promise<ChainReport[]> {
  const targets = chains.map(({ config }) => config)
  const reports = await replay({ chains: targets, databaseUrl }, OPTIONS, SILENT)
  const unsound = reports.filter((report) => !isSound(report))
  if (unsound.length > 0) {
    throw new Error(`the index differs from a replay:\n${unsound.map(describeReport).join('\n')}`)
  }
  return reports
}

import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { ChainLog } from '../../chain/history/rawAnswers.ts'
import type { LogsWanted } from './askLogs.ts'

/** A block as the witnesses of its chain tell of it. */
export type WitnessedBlock = {
  hash: Hex
  /** Hashes of its transactions, in order. */
  transactions: Hex[]
}

/** Witnesses that tell different things of a chain, by their places in the configuration. */
export type Disagreement = {
  chainId: number
  /** The block at a height, or an intent's logs up to there. */
  about: 'block' | 'logs'
  number: number
  /** Of the block, or of the logs' transactions together. */
  hashes: { witness: number; hash: Hex }[]
}

/**
 * The enclave's own view of the chains: a head or block is one that enough witnesses of the chain give and
 * none contradicts, so a single provider that lies can stop the enclave but not deceive it, and one that
 * is away does neither.
 */
export type Witnesses = {
  /**
   * The head that enough of them have reached, and its time. Rejects with an EnclaveError
   * `WITNESS_UNREACHABLE`.
   */
  head(chainId: number): Promise<{ number: number; timestamp: number }>
  /** Rejects with `WITNESS_UNREACHABLE`, or `BLOCK_NOT_CANONICAL` when they disagree. */
  block(chainId: number, number: number): Promise<WitnessedBlock>
  /**
   * Logs, in the chain's order, as each witness that has them whole tells of them. Rejects with
   * `WITNESS_UNREACHABLE` when too few have.
   */
  logs(
    chainId: number,
    wanted: LogsWanted,
    isWhole: (logs: readonly ChainLog[]) => boolean,
  ): Promise<ChainLog[][]>
}

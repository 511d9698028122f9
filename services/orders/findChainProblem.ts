import { BaseError } from 'viem'
import { ChangedDuringReadError, UnusableAnswerError } from '../chain/history/historyErrors.ts'
import { RpcError } from '../chain/rpcPool/rpcError.ts'
import { findDatabaseProblem } from '../store/database/databaseProblem.ts'
import { nameDatabaseFailure } from '../store/database/nameDatabaseFailure.ts'

/** Why a chain can't be served, as `/health` shows it. Stable. */
export type ChainProblem =
  /** The chain's nodes don't answer, or not usably. */
  | 'RPC_UNREACHABLE'
  /** The service's own database doesn't answer. */
  | 'DATABASE_UNREACHABLE'
  /** Anything else: a bug. */
  | 'INTERNAL_ERROR'

const CHAIN_ERRORS = [BaseError, RpcError, UnusableAnswerError, ChangedDuringReadError]

/** Why a round on a chain failed. */
export function findChainProblem(error: unknown): ChainProblem {
  if (CHAIN_ERRORS.some((kind) => error instanceof kind)) return 'RPC_UNREACHABLE'
  return findDatabaseProblem(error) === null ? 'INTERNAL_ERROR' : nameDatabaseFailure(error)
}

import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Hash } from 'viem'
import { findDeliveryConfirmations } from '../../../core/settlement/requiredConfirmations.ts'
import {
  judgeSettleRequest,
  type SettleHints,
  type SettleVerdict,
} from '../../../services/relayer/settlement/judgeSettleRequest.ts'
import {
  readSettlementProgress,
  type SettlementProgress,
} from '../../../services/relayer/settlement/readSettlementProgress.ts'
import { requestReconcile } from '../../../services/relayer/terms/requestReconcile.ts'
import { loadIntents } from '../../../services/store/intents/intentLookup.ts'
import type { IntentKey } from '../../../services/store/intents/storedIntent.ts'
import type { SourceFacts } from '../../../src/intent/intentFacts.ts'
import {
  ApiError,
  BadRequestError,
  type ErrorCode,
  NotFoundError,
  UnavailableError,
} from '../../http/apiError.ts'
import { createWaiterPool, type WaiterPoolLimits } from '../intents/waiterPool.ts'
import { chainsToRead, type ReadContext } from '../readContext.ts'
import type { MissingDeliveryLookup } from './missingDeliveryLookup.ts'

export type SettleCoordinator = {
  /**
   * Waits for an intent's settlement.
   *
   * @param client address by which the caller is rate-limited
   * @throws ApiError whose code says what contradicts the hints
   */
  settle(
    key: IntentKey,
    hints: SettleHints,
    client: string,
  ): Promise<{ settleTxHash: Hash; blockNumber: number }>
}

export type SettleCoordinatorOptions = Partial<WaiterPoolLimits> & {
  /** Milliseconds that a request waits at most. Default 20,000. */
  timeoutMs?: number
  /** Of these, how long it waits for a delivery to be indexed. Default 4,000. */
  deliveryTimeoutMs?: number
}

const DEFAULT_LIMITS: WaiterPoolLimits = { atOnce: 200, perClient: 64, perIntent: 4 }

const POLL_MS = 100
const REQUEST_EVERY_MS = 1_000

type Settled = { settleTxHash: Hash; blockNumber: number }

/**
 * Handles requests for settlements. It sends nothing itself: it reads the index, wakes the reactions and waits.
 * Callers with the same intent and delivery share one wait, limited per client and per intent, so a flood costs
 * neither gas nor requests to nodes.
 */
export function createSettleCoordinator(
  reads: ReadContext,
  lookup: MissingDeliveryLookup,
  options: SettleCoordinatorOptions = {},
): SettleCoordinator {
  const { timeoutMs = 20_000, deliveryTimeoutMs = 4_000, ...limits } = options
  const pool = createWaiterPool<Settled>({ ...DEFAULT_LIMITS, ...limits })
  const configured = new Map(reads.configured.map((chain) => [chain.chainId, chain]))

  const confirmationsOf = (source: SourceFacts) => {
    const chain = configured.get(source.destChainId)
    return chain ? findDeliveryConfirmations(chain, source) : Number.POSITIVE_INFINITY
  }

  async function judge(key: IntentKey, hints: SettleHints): Promise<SettleVerdict> {
    const { heads } = await chainsToRead(reads)
    const [stored] = await loadIntents(reads.db, [key])
    if (!stored)
      throw new NotFoundError(
        'no intent has this id: check it, or try again if it was just created',
        'INTENT_NOT_FOUND',
      )
    return judgeSettleRequest(stored, hints, heads, confirmationsOf)
  }

  async function waitFor(key: IntentKey, hints: SettleHints): Promise<Settled> {
    const startedAt = performance.now()
    let requestedAt = Number.NEGATIVE_INFINITY
    for (;;) {
      const verdict = await judge(key, hints)
      if (verdict.is === 'refused') throw refusalOf(verdict.code, verdict.message)
      if (verdict.is === 'settled') return settledFrom(reads, key)
      const progress = await readSettlementProgress(reads.db, key)
      if (progress.mined) return { settleTxHash: progress.mined.txHash, ...progress.mined }
      if (verdict.is === 'due') throwIfRefused(progress)
      const waited = performance.now() - startedAt
      if (verdict.is === 'early' && verdict.code === 'SOLVE_NOT_FOUND') {
        const failure = waited > deliveryTimeoutMs ? await lookup.whyMissing(key, hints) : null
        if (failure) throw failure
      }
      if (waited > timeoutMs) throw pendingFailure(verdict, progress)
      if (performance.now() - requestedAt > REQUEST_EVERY_MS) {
        requestedAt = performance.now()
        await requestReconcile(reads.db, key)
      }
      await pause(POLL_MS)
    }
  }

  return {
    async settle(key, hints, client) {
      // A request that is refused at once doesn't occupy the pool.
      const verdict = await judge(key, hints)
      if (verdict.is === 'refused') throw refusalOf(verdict.code, verdict.message)
      if (verdict.is === 'settled') return settledFrom(reads, key)
      const intent = `${key.sourceChainId}:${key.intentId}`
      const name = `${intent}:${hints.solveTxHash}:${hints.chain2IntentId}`
      const isKnown = verdict.is === 'due' || verdict.code === 'NOT_CONFIRMED'
      return pool.wait({ client, intent, name, isKnown }, () => waitFor(key, hints))
    },
  }
}

/** A refusal of an earlier delivery is reset before a new delivery is indexed, so this one concerns the hints' delivery. */
function throwIfRefused({ reaction }: SettlementProgress): void {
  if (reaction?.state !== 'refused') return
  throw refusalOf(reaction.reason ?? 'DELIVERY_INVALID', 'the delivery doesn’t settle the intent')
}

async function settledFrom(
  { db }: ReadContext,
  { sourceChainId, intentId }: IntentKey,
): Promise<Settled> {
  const { rows } = await sql<Settled>`
    select transaction_hash as "settleTxHash", block_number as "blockNumber" from cairn.event
    where source_chain_id = ${sourceChainId}::bigint and intent_id = ${String(intentId)}::numeric
      and type = 'IntentSettled' limit 1`.execute(db)
  const [settled] = rows
  if (!settled) throw new UnavailableError('the index is changing: try again', 'INDEX_NOT_READY', 1)
  return settled
}

/** The API's codes for refusals that it names differently. */
const REFUSALS: Partial<Record<string, ErrorCode>> = {
  NOT_DELIVERED: 'RECIPIENTS_NOT_PAID',
  RECIPIENTS_INVALID: 'RECIPIENTS_UNKNOWN',
}

/** The failure of a refused settlement. */
function refusalOf(code: string, message: string): ApiError {
  const known = (REFUSALS[code] ?? code) as ErrorCode
  if (known === 'NOT_THE_WINNER') return new ApiError(message, { status: 403, code: known })
  return new BadRequestError(message, known)
}

/** Codes and messages of problems with a dependency. */
const DEPENDENCY_PROBLEMS: Record<string, [ErrorCode, string]> = {
  RPC_UNREACHABLE: ['RPC_UNREACHABLE', 'the chain’s nodes don’t answer'],
  PROVIDERS_UNREACHABLE: ['RPC_UNREACHABLE', 'the chain’s nodes don’t answer'],
  EVIDENCE_INVALID: ['PROOF_NOT_VERIFIED', 'the chain’s nodes gave no valid proof'],
  BLOBS_MISSING: ['PROOF_NOT_VERIFIED', 'the chain’s nodes lack the intent’s blobs'],
  QUORUM_MISSING: ['ENCLAVE_UNREACHABLE', 'too few enclaves attest the delivery'],
  REORG_IN_PROGRESS: ['REORG_IN_PROGRESS', 'the chain is being reorganised'],
  BLOCK_NOT_AGREED: ['REORG_IN_PROGRESS', 'the chain’s nodes disagree on the delivery’s block'],
  ENCLAVE_UNREACHABLE: ['ENCLAVE_UNREACHABLE', 'the enclave can’t be reached'],
  OUT_OF_GAS: ['RELAYER_OUT_OF_GAS', 'the relayer’s account is out of gas'],
}

/** What to do after such a failure. */
const CONTINUES = 'it continues by itself; repeat the request to wait for it'

/** The failure of a settlement that takes too long. */
function pendingFailure(verdict: SettleVerdict, progress: SettlementProgress): ApiError {
  if (verdict.is === 'early' && verdict.code === 'SOLVE_NOT_FOUND') {
    const words = 'the index hasn’t reached the delivery yet: repeat the request to wait for it'
    return new UnavailableError(words, 'INDEX_NOT_READY', 5)
  }
  if (verdict.is === 'early') {
    const words =
      'the delivery needs more confirmations: wait for details.missingBlocks more blocks'
    return new BadRequestError(words, verdict.code, { missingBlocks: verdict.missingBlocks })
  }
  if (!progress.isAlive) {
    const words = 'the relayer’s reactions are not running: its operator must start them'
    return new UnavailableError(words, 'REACTIONS_STOPPED', 10)
  }
  for (const reason of [progress.senderProblem, progress.problem, progress.reaction?.reason]) {
    const problem = DEPENDENCY_PROBLEMS[reason ?? '']
    if (problem) return new UnavailableError(`${problem[1]}: ${CONTINUES}`, problem[0], 5)
  }
  return new UnavailableError(
    `the settlement is in progress: ${CONTINUES}`,
    'SETTLEMENT_PENDING',
    5,
  )
}

import { sql } from 'kysely'
import { getAddress, type Hex } from 'viem'
import { findDepositConfirmations } from '../../../core/settlement/requiredConfirmations.ts'
import { EnclaveError } from '../../../services/enclave/enclaveError.ts'
import type {
  PlainReveal,
  RevealReader,
} from '../../../services/relayer/settlement/revealReader.ts'
import type { ChainsNow } from '../../../services/store/chains/chainStateCache.ts'
import type { StoredIntent } from '../../../services/store/intents/storedIntent.ts'
import { NotFoundError, UnavailableError } from '../../http/apiError.ts'
import type { WriteContext } from '../writeContext.ts'
import { throwBundleApiError } from './throwBundleApiError.ts'

/**
 * What the enclaves reveal to an intent's winner, by proofs of the chain's storage.
 *
 * @param stranger the address of a client that has signed nothing; null for one that has
 * @param reader of `context.reveals`
 * @throws ApiError `NOT_CONFIRMED` while a reorg could still remove the deposit; `RECIPIENTS_UNKNOWN`;
 *   `NO_SEALING_KEY`; 503 if a dependency can't be reached
 */
export async function revealRecipientsToWinner<Reveal>(
  { reads, revealGate }: Pick<WriteContext, 'reads' | 'revealGate'>,
  { heads }: ChainsNow,
  { source }: StoredIntent,
  stranger: string | null,
  reader: RevealReader<Reveal>,
): Promise<Reveal> {
  const { sourceChainId } = source
  const chain = reads.configured.find(({ chainId }) => chainId === sourceChainId)
  const { rows } = await sql<{ block: number | null }>`
    select max(block_number)::bigint as block from cairn.event
    where source_chain_id = ${sourceChainId}::bigint and intent_id = ${String(source.intentId)}::numeric
      and chain_id = ${sourceChainId}::bigint and type = 'SolverDeposited'`.execute(reads.db)
  const deposited = rows[0]?.block ?? null
  if (deposited === null || !chain) {
    throw new UnavailableError('the index is changing: try again', 'INDEX_NOT_READY', 1)
  }
  const head = heads.get(sourceChainId)?.blockNumber ?? 0
  const depth = findDepositConfirmations(chain, source)
  const missing = deposited + depth - head
  if (missing > 0) throw notConfirmed(missing)
  const deposit = { from: deposited, head, depth }
  const admit = <Result>(task: () => Promise<Result>) => revealGate.pass(source, stranger, task)
  const revealed = await reader(source, deposit, admit).catch(revealFailure)
  if (revealed.is === 'early') throw notConfirmed(revealed.missingBlocks)
  return revealed.reveal
}

function notConfirmed(missingBlocks: number): NotFoundError {
  const words = 'the deposit needs more confirmations: retry in a few blocks'
  return new NotFoundError(words, 'NOT_CONFIRMED', { missingBlocks })
}

const NO_RECIPIENTS: ReadonlySet<string> = new Set(['RECIPIENTS_UNKNOWN', 'RECIPIENTS_INVALID'])
const UNPROVEN: ReadonlySet<string> = new Set([
  'EVIDENCE_INVALID',
  'BLOCK_NOT_AGREED',
  'BLOBS_MISSING',
])

function revealFailure(error: unknown): never {
  const { code = '', name } = error as { code?: string; name?: string }
  if (NO_RECIPIENTS.has(code)) {
    const words =
      'no blob on chain names this intent’s recipients: pay nobody, and retry or contact the operator'
    throw new UnavailableError(words, 'RECIPIENTS_UNKNOWN', 10, error)
  }
  if (code === 'NOT_CONFIRMED') throw notConfirmed(1)
  if (code === 'NO_SEALING_KEY') throw new NotFoundError('the winner has no sealing key', code)
  if (UNPROVEN.has(code)) {
    const words = 'the chain’s nodes gave no valid proof: retry'
    throw new UnavailableError(words, 'PROOF_NOT_VERIFIED', 2, error)
  }
  if (name === 'RpcError' || code === 'PROVIDERS_UNREACHABLE') {
    const words = 'the chain’s nodes can’t be reached: try again'
    throw new UnavailableError(words, 'RPC_UNREACHABLE', 2, error)
  }
  if (code === 'QUORUM_MISSING') {
    const words = 'too few enclaves answered: try again'
    throw new UnavailableError(words, 'ENCLAVE_UNREACHABLE', 2, error)
  }
  if (error instanceof EnclaveError) return throwBundleApiError(error)
  throw error
}

/** The payments that a winner owes: checksummed addresses, and decimal amounts in base units of tokenB. */
export function winnersPayments({
  recipients,
  amounts,
}: Pick<PlainReveal, 'recipients' | 'amounts'>): {
  recipients: Hex[]
  amounts: string[]
} {
  return {
    recipients: recipients.map((recipient) => getAddress(recipient)),
    amounts: amounts.map(String),
  }
}

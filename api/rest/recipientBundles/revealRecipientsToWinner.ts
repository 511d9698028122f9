import { sql } from 'kysely'
import { getAddress, type Hex } from 'viem'
import { findDepositConfirmations } from '../../../core/settlement/requiredConfirmations.ts'
import { EnclaveError } from '../../../services/enclave/enclaveError.ts'
import type { SealedReveal } from '../../../services/relayer/settlement/findStoredReveal.ts'
import type { PlainReveal } from '../../../services/relayer/settlement/revealReader.ts'
import type { DepositAt } from '../../../services/relayer/settlement/revealRecipients.ts'
import type { ChainsNow } from '../../../services/store/chains/chainStateCache.ts'
import type { StoredIntent } from '../../../services/store/intents/storedIntent.ts'
import { NotFoundError, UnavailableError } from '../../http/apiError.ts'
import type { WriteContext } from '../writeContext.ts'
import { throwBundleApiError } from './throwBundleApiError.ts'

/**
 * What the enclaves reveal to an intent's winner, by proofs of the chain's storage, with the recipients.
 *
 * @param stranger the address of a client that has signed nothing; null for one that has
 * @throws ApiError `NOT_CONFIRMED` while a reorg could still remove the deposit; `RECIPIENTS_UNKNOWN`; 503 if a
 *   dependency can't be reached
 */
export async function revealRecipientsToWinner(
  context: RevealContext,
  now: ChainsNow,
  stored: StoredIntent,
  stranger: string | null,
): Promise<PlainReveal> {
  const { reveals, revealGate } = context
  return read(context, now, stored, (deposit) =>
    reveals.plain(stored.source, deposit, (task) => revealGate.pass(stored.source, stranger, task)),
  )
}

/** The same, sealed to the winner. @throws as `revealRecipientsToWinner` */
export async function revealSealedToWinner(
  context: RevealContext,
  now: ChainsNow,
  stored: StoredIntent,
  stranger: string | null,
): Promise<SealedReveal> {
  const { reveals, revealGate } = context
  return read(context, now, stored, (deposit) =>
    reveals.sealed(stored.source, deposit, (task) =>
      revealGate.pass(stored.source, stranger, task),
    ),
  )
}

type RevealContext = Pick<WriteContext, 'reads' | 'reveals' | 'revealGate'>

async function read<Reveal>(
  { reads }: RevealContext,
  { heads }: ChainsNow,
  { source }: StoredIntent,
  reveal: (
    deposit: DepositAt,
  ) => Promise<{ is: 'revealed'; reveal: Reveal } | { is: 'early'; missingBlocks: number }>,
): Promise<Reveal> {
  const { sourceChainId } = source
  const chain = reads.configured.find(({ chainId }) => chainId === sourceChainId)
  const { rows } = await sql<{ block: number | null }>`
    select max(block_number)::bigint as block from cairn.event
    where source_chain_id = ${sourceChainId}::bigint and intent_id = ${String(source.intentId)}::numeric
      and chain_id = ${sourceChainId}::bigint and type = 'SolverDeposited'`.execute(reads.db)
  const deposited = rows[0]?.block ?? null
  if (deposited === null || !chain) {
    throw new UnavailableError('the index is changing', 'INDEX_NOT_READY', 1)
  }
  const head = heads.get(sourceChainId)?.blockNumber ?? 0
  const depth = findDepositConfirmations(chain, source)
  const missing = deposited + depth - head
  if (missing > 0) throw notConfirmed(missing)
  const revealed = await reveal({ from: deposited, head, depth }).catch(revealFailure)
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
  if (code === 'NO_SEALING_KEY') throw new NotFoundError('the winner has no sealing key')
  if (UNPROVEN.has(code)) {
    const words = 'the chain’s nodes gave no valid proof: retry'
    throw new UnavailableError(words, 'PROOF_NOT_VERIFIED', 2, error)
  }
  if (name === 'RpcError' || code === 'PROVIDERS_UNREACHABLE') {
    throw new UnavailableError('the chain’s nodes can’t be reached', 'RPC_UNREACHABLE', 2, error)
  }
  if (code === 'QUORUM_MISSING') {
    throw new UnavailableError('too few enclaves answered', 'ENCLAVE_UNREACHABLE', 2, error)
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

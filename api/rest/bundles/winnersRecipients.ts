import { sql } from 'kysely'
import { getAddress, type Hex } from 'viem'
import { confirmationsFor } from '../../../core/settlement/confirmationsFor.ts'
import { EnclaveError } from '../../../services/enclave/enclaveError.ts'
import type { ResponseOf } from '../../../services/enclave/enclaveInterface.ts'
import type { Collected } from '../../../services/relayer/settlement/collectSignatures.ts'
import { revealRecipients } from '../../../services/relayer/settlement/revealRecipients.ts'
import type { ChainsNow } from '../../../services/store/chains/chainStateCache.ts'
import type { StoredIntent } from '../../../services/store/intents/storedIntent.ts'
import { NotFoundError, UnavailableError } from '../../http/apiError.ts'
import type { WriteContext } from '../writeContext.ts'
import { storeFailure } from './storeFailure.ts'

/**
 * The recipients for an intent's winner, and the signatures over them, from proofs of the chain's
 * storage.
 *
 * @throws ApiError `NOT_CONFIRMED` while the deposit isn't deep enough and a reorg could still remove it;
 *   `RECIPIENTS_UNKNOWN`; 503 for unreachable dependencies
 */
export async function winnersRecipients(
  { signing, reads }: Pick<WriteContext, 'signing' | 'reads'>,
  { heads }: ChainsNow,
  { source }: StoredIntent,
): Promise<Collected<ResponseOf<'revealToWinner'>>> {
  const { sourceChainId, tokenA, amountA } = source
  const chain = reads.configured.find(({ chainId }) => chainId === sourceChainId)
  const { rows } = await sql<{ block: number | null }>`
    select max(block_number)::bigint as block from cairn.event
    where source_chain_id = ${sourceChainId}::bigint and intent_id = ${String(source.intentId)}::numeric
      and chain_id = ${sourceChainId}::bigint and type = 'SolverDeposited'`.execute(reads.db)
  const from = rows[0]?.block ?? null
  if (from === null || !chain) {
    throw new UnavailableError('the index is changing', 'INDEX_NOT_READY', 1)
  }
  const head = heads.get(sourceChainId)?.blockNumber ?? 0
  const depth = confirmationsFor(chain, tokenA, amountA)
  const missing = from + depth - head
  if (missing > 0) throw notConfirmed(missing)
  const found = await revealRecipients(signing, source, { from, head, depth }).catch(asFailure)
  if (found.is === 'early') throw notConfirmed(found.missingBlocks)
  return found.reveal
}

function notConfirmed(missingBlocks: number): NotFoundError {
  const words = 'the deposit needs more confirmations: ask again in a few blocks'
  return new NotFoundError(words, 'NOT_CONFIRMED', { missingBlocks })
}

const NOBODY: ReadonlySet<string> = new Set(['RECIPIENTS_UNKNOWN', 'RECIPIENTS_INVALID'])
const UNPROVEN: ReadonlySet<string> = new Set(['EVIDENCE_INVALID', 'BLOCK_NOT_AGREED'])

function asFailure(error: unknown): never {
  const { code = '', name } = error as { code?: string; name?: string }
  if (NOBODY.has(code)) {
    const words =
      'no blob on chain names this intent’s recipients: pay nobody, and ask again or ask the operator'
    throw new UnavailableError(words, 'RECIPIENTS_UNKNOWN', 10, error)
  }
  if (code === 'NOT_CONFIRMED') throw notConfirmed(1)
  if (code === 'NO_SEALING_KEY') throw new NotFoundError('the winner has no sealing key')
  if (UNPROVEN.has(code) || code === 'BLOBS_MISSING') {
    const words = 'the chain’s nodes gave no valid proof: ask again'
    throw new UnavailableError(words, 'PROOF_NOT_VERIFIED', 2, error)
  }
  if (name === 'RpcError' || code === 'PROVIDERS_UNREACHABLE') {
    throw new UnavailableError('the chain’s nodes can’t be reached', 'RPC_UNREACHABLE', 2, error)
  }
  if (code === 'QUORUM_MISSING') {
    throw new UnavailableError('too few enclaves answered', 'ENCLAVE_UNREACHABLE', 2, error)
  }
  if (error instanceof EnclaveError) return storeFailure(error)
  throw error
}

/**
 * The payments that a winner owes: checksummed addresses, amounts as decimal text of tokenB's base
 * units.
 */
export type Payments = { recipients: Hex[]; amounts: string[] }

/** A winner's payments, as sent to it. */
export function winnersPayments({
  recipients,
  amounts,
}: Pick<ResponseOf<'revealToWinner'>, 'recipients' | 'amounts'>): Payments {
  return {
    recipients: recipients.map((recipient) => getAddress(recipient)),
    amounts: amounts.map(String),
  }
}

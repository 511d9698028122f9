import { EnclaveError, type EnclaveErrorCode } from '../../../enclave/enclaveError.ts'
import type { ReactionContext } from '../reactionContext.ts'
import type { Effect, IntentState, Outcome } from '../reconcilerEffect.ts'
import { anchor, append } from './anchorAndAppend.ts'
import { refund, refundUndelivered, reveal, settle } from './revealSettleOrRefund.ts'

/** Attempts an effect. An unreachable dependency makes it wait. So does a bug, which is also reported. */
export async function performEffect(
  reactor: ReactionContext,
  state: IntentState,
  effect: Effect,
): Promise<Outcome> {
  try {
    switch (effect.kind) {
      case 'anchor':
        return await anchor(reactor, state, effect)
      case 'append':
        return await append(reactor, state, effect)
      case 'reveal':
        return await reveal(reactor, state, effect)
      case 'settle':
        return await settle(reactor, state, effect)
      case 'undelivered':
        return await refundUndelivered(reactor, state, effect)
      case 'refund':
        return await refund(reactor, state, effect)
    }
  } catch (error) {
    return error instanceof EnclaveError ? saidBy(error) : { is: 'waiting', ...problemOf(error) }
  }
}

/** Refusals that last until the intent changes. */
const FINAL: ReadonlySet<EnclaveErrorCode> = new Set([
  'RECIPIENTS_UNKNOWN',
  'RECIPIENTS_INVALID',
  'SIGNATURE_REQUIRED',
  'SIGNATURE_INVALID',
  'CLASS_EXCEEDED',
  'FEE_TIER_FIXED',
  'N_TOO_LOW',
  'BLOB_TOO_LARGE',
  'TOO_MANY_BLOBS',
  'NO_SEALING_KEY',
  'NOT_DELIVERED',
])

/**
 * All other codes may be temporary: a node's wrong answer, a block without agreement, a root that an operator
 * restores.
 */
function saidBy({ code, message }: EnclaveError): Outcome {
  if (code === 'NOTHING_TO_APPEND') return { is: 'done' }
  return FINAL.has(code)
    ? { is: 'refused', reason: code, detail: message }
    : { is: 'waiting', reason: code, detail: message }
}

/**
 * Returns a stable code and a description. Messages of third-party errors may contain calldata or a URL with a key,
 * so only their code is kept.
 */
function problemOf(error: unknown): { reason: string; detail: string } {
  const { code, name, failure } = error as { code?: unknown; name?: string; failure?: string }
  if (typeof code === 'string' && /^[A-Z][A-Z_]+$/.test(code)) return { reason: code, detail: code }
  if (name === 'RpcError') return { reason: 'RPC_UNREACHABLE', detail: failure ?? 'no answer' }
  return { reason: 'FAILED', detail: name ?? 'unknown' }
}

import type { EnclaveErrorCode } from '../../../services/enclave/enclaveError.ts'

const BY_THE_SENDER =
  'The enclaves refuse these recipients or metadata (see detail). Before firmAt, the sender can send others to /store-recipients, or cancel.'

const SEND_IT =
  'Anyone can send it: GET /intents/{intentId}/anchor, or the bridge’s refund(intentId).'

/** What an operator can do, by the enclave's error code. */
const BY_ENCLAVE: Partial<Record<EnclaveErrorCode, string>> = {
  PROVIDERS_UNREACHABLE:
    'Fewer of the chain’s RPC providers answer the enclave than agreeingWitnesses requires (default: a majority, at least two): bring one back, or add one.',
  BLOCK_NOT_AGREED:
    'The RPC providers contradict each other on a block: a reorg is under way, or one of them is wrong. The enclave’s log names them by their position in rpcUrls. Nothing is settled until they agree.',
  EVIDENCE_INVALID:
    'The enclave finds the proofs of the intent’s history wrong or incomplete: its chains file differs from this one’s, or an RPC provider shows an appended blob that the index doesn’t have. The enclave’s log names providers that contradict each other.',
  ENCLAVE_UNREACHABLE:
    'The enclave doesn’t answer: check that its process runs, that ENCLAVE_SOCKET is the same for both, and that it isn’t of an older version than the other roles.',
  ENCLAVE_FAILED:
    'The enclave had an internal error (see its log), or is of another version: upgrade what is older.',
  UNKNOWN_OPERATION: 'The enclave is of an older version: upgrade it.',
  REQUEST_INVALID:
    'The enclave doesn’t understand the request. If it is of an older version, upgrade it.',
  CHAIN_NOT_CONFIGURED:
    'One of the intent’s chains is missing from CHAINS, here or at the enclave: restore it until the intent has ended.',
  TRANSACTION_NOT_ALLOWED:
    'The enclave’s policy refuses the call: its chains file differs from this one’s (bridge address, chain).',
  NOT_CONFIRMED: 'Waiting for more confirmations.',
  NOT_DELIVERED:
    'The winner’s delivery didn’t pay every recipient: it isn’t settled. After the deadline the sender gets its money back, and the winner’s bond is forfeited.',
  DELIVERED: 'The winner has delivered: the intent is settled instead.',
  RECIPIENTS_UNKNOWN:
    'No blob on chain that the enclave can read names this intent’s recipients. If a root file is missing, restore it. Otherwise, before firmAt, the sender can send signed recipients to /store-recipients, or cancel. After the deadline it is refunded.',
  KEY_MISSING:
    'The blob is sealed to a key that the enclave doesn’t have: restore the root file that had it.',
  RECIPIENTS_INVALID: BY_THE_SENDER,
  SIGNATURE_REQUIRED: BY_THE_SENDER,
  SIGNATURE_INVALID: BY_THE_SENDER,
  CLASS_EXCEEDED: BY_THE_SENDER,
  FEE_TIER_FIXED: BY_THE_SENDER,
  N_TOO_LOW: BY_THE_SENDER,
  BLOB_TOO_LARGE: BY_THE_SENDER,
  TOO_MANY_BLOBS: BY_THE_SENDER,
}

/** What an operator can do, by the relayer's own code. */
const BY_CAUSE: Record<string, string> = {
  OUT_OF_GAS:
    'Send gas to the relayer’s account on this chain (its address is in /health). Nothing is lost meanwhile.',
  RPC_UNREACHABLE: 'None of the chain’s RPC providers answers: check rpcUrls, or add one.',
  BLOBS_MISSING: 'The chain’s RPC providers lack blobs of the intent: add or change one.',
  QUORUM_MISSING:
    'Too few enclaves’ signatures count: fewer operators than the token requires have registered keys, or the enclaves disagree. Check ENCLAVE_SOCKETS and /health.',
  AttesterNotActive:
    'The enclave’s attestation key is not active in EnclaveKeyRegistry: register or renew it.',
  FEE_CAP: 'Gas costs more than maxFeeGwei (or MAX_FEE_GWEI): raise the limit, or wait.',
  NONCE_BLOCKED:
    'Someone else sent a transaction with this key, and no block includes it. It is outbid automatically; find out who has the key.',
  NOT_TAKEN:
    'The RPC providers refuse it (see detail); it is signed again from time to time. Ask them, or add a provider.',
  NOT_SIMULATED:
    'The RPC providers can’t simulate this call (see detail); it is retried automatically and delays no other. Ask them, or add a provider.',
  NOT_VALID:
    'Every RPC provider calls the transaction invalid (see detail), so it was given up: check the chain’s configuration.',
  GAS_LIMIT: 'Its gas limit is refused, and a new estimate is the same: see detail.',
  NO_BLOCK:
    'No block includes the transaction; it is replaced at a higher fee automatically, up to maxFeeGwei (or MAX_FEE_GWEI).',
  TRANSACTION: 'Its transaction is pending: look it up by its hash.',
  INDEX_BEHIND: 'The transaction’s block isn’t indexed yet: see /health for the index’s lag.',
  CANCELLED:
    'The call would have failed or was no longer desired, so an empty transfer took its nonce. It is requested again if still desired.',
  TOO_LATE:
    'A reorg removed what the transaction was for, so it was given up. It is requested again if still desired.',
  AWAITING_RECIPIENTS:
    'The sender has stored no recipients, so nobody can bid. The sender can cancel, or is refunded after the auction.',
  RECIPIENTS_DISPUTED:
    'Conflicting unsigned recipients were sent, and none count: the sender must sign its own, or cancel.',
  GAS_BUDGET_SPENT: `The day’s gas that no fee covers is spent (RELAYER_UNPAID_GAS), or this sender’s part of it, so the call waits. ${SEND_IT}`,
  FEE_TOO_SMALL: `The intent’s fee doesn’t pay for this call, so the relayer doesn’t send it. ${SEND_IT}`,
  SENDER_PAYS_NOTHING: `The sender’s intents rarely settle, so the relayer doesn’t send its calls. ${SEND_IT}`,
  TOO_MANY_SAFES:
    'The intent’s fee doesn’t pay the gas of so many registered wallets (SPONSOR_GAS_PER_RECIPIENT), so it isn’t anchored. Its sender can send fewer to /store-recipients, or cancel and create a larger intent.',
}

const DEFAULT_ADVICE = 'It is retried automatically; see the log of the reactions.'

/** What an operator can do about a stuck effect. */
export function findStuckIntentAdvice(cause: string): string {
  return BY_ENCLAVE[cause as EnclaveErrorCode] ?? BY_CAUSE[cause] ?? DEFAULT_ADVICE
}

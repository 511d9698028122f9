/** What an operator can do about a cause. */
const ADVICE: Record<string, string> = {
  OUT_OF_GAS:
    'Send gas to the relayer’s account on this chain (its address is in /health). Nothing is lost meanwhile.',
  RPC_UNREACHABLE: 'None of the chain’s RPC providers answers: check rpcUrls, or add one.',
  WITNESS_UNREACHABLE:
    'Fewer of the chain’s RPC providers answer the enclave than agreeingWitnesses asks for (default: most of them, two at least): bring one back, or add one.',
  BLOCK_NOT_CANONICAL:
    'The RPC providers contradict each other on a block: a reorg is just going on, or one of them lies. The enclave’s log names them by their places in rpcUrls. Nothing is settled until they agree.',
  EVIDENCE_INVALID:
    'The enclave finds the proofs of the intent’s history wrong or incomplete: its chains file differs from this one’s, or an RPC provider tells of an appended blob that the index doesn’t have. The enclave’s log names providers that contradict each other.',
  PROOF_NOT_VERIFIED:
    'What the RPC providers say of a block doesn’t hash to it: change the provider.',
  ENCLAVE_UNREACHABLE:
    'The enclave doesn’t answer: see that its process runs and that ENCLAVE_SOCKET is the same for both.',
  ENCLAVE_FAILED: 'The enclave failed inside: its log says more.',
  TRANSACTION_NOT_ALLOWED:
    'The enclave’s policy refuses the call: its chains file differs from this one’s (bridge address, chain).',
  NotRelayer:
    'The bridge has another relayer: its owner has to call rotateRelayer with the enclave’s account.',
  AttesterNotActive:
    'The enclave’s attester is not active in EnclaveKeyRegistry: register it, or renew it.',
  FEE_CAP: 'Block space costs more than MAX_FEE_GWEI: raise it, or wait.',
  NONCE_BLOCKED:
    'Somebody sent a transaction with this key that no block takes: it is outbid by itself. Find out who else has the key.',
  NOT_TAKEN:
    'The RPC providers refuse it for a reason of their own (see detail): it is signed anew from time to time. Ask them, or add a provider.',
  NOT_SIMULATED:
    'The RPC providers answer, but not whether this call would succeed (see detail): it is tried again by itself, and keeps no other waiting. Ask them, or add a provider.',
  NOT_VALID:
    'Every RPC provider calls the transaction invalid (see detail), so it was given up: compare the chain’s rules with its configuration.',
  GAS_LIMIT: 'Its gas limit is refused, and an estimate says the same: see detail.',
  NO_BLOCK:
    'No block takes the transaction: it is replaced at a higher fee by itself, up to MAX_FEE_GWEI.',
  TRANSACTION: 'Its transaction is under way: see it by its hash.',
  INDEX_BEHIND:
    'The transaction is in a block that the index hasn’t shown yet: see /health for the index’s lag.',
  CANCELLED:
    'The call would have failed by then, or had had its day, so a transfer of nothing took its nonce: it is asked for anew if the facts want it.',
  TOO_LATE:
    'A reorg took away what the transaction was for: it was given up, and is asked for anew if the facts want it.',
  NOT_CONFIRMED: 'Waits for more blocks on top of the delivery.',
  AWAITING_RECIPIENTS:
    'The sender has stored no recipients, so nobody can bid. The sender can cancel, and is refunded after the auction otherwise.',
  NAMES_NOBODY:
    'An anchor or creation whose blob nobody here sealed is all that the chain has: it names no recipients, and its fee tier stays. Until a deposit the sender can send signed recipients to /store-recipients, which are appended, or cancel while nobody has bid; a winner is told to pay nobody. After the deadline the sender is refunded. If a root file is missing, restore it and run the recovery.',
  RECIPIENTS_NOT_PAID:
    'The winner’s delivery didn’t pay every recipient: it isn’t settled. After the settlement grace the sender gets its money and the bond.',
  TOO_MANY_SAFES:
    'The intent names more registered wallets than its fee pays the gas of (SPONSOR_GAS_PER_RECIPIENT): it isn’t anchored. Its sender can send recipients that fit to /store-recipients, or cancel and create a larger one.',
  RECIPIENTS_UNKNOWN:
    'No blob on chain names this intent’s recipients: restore the enclave’s older roots if one was rotated.',
  UNKNOWN_KEY:
    'The blob was sealed to a key that the enclave doesn’t have: restore the root file that had it.',
}

const OTHERWISE = 'Tried again by itself; the log of the reactions says more.'

/** What an operator can do about something that is stuck, in a sentence or two. */
export function adviceFor(what: string, cause: string): string {
  if (what === 'store' && !(cause in ADVICE)) {
    return 'The creation’s blob can’t be used, as if there had been none: the sender can still send recipients to /store-recipients.'
  }
  return ADVICE[cause] ?? OTHERWISE
}

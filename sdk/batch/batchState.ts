import { type Address, type Hex, keccak256, stringToHex } from 'viem'
import { CairnError } from '../errors/cairnError.ts'
import type { BatchRequest } from './batchRequest.ts'

/**
 * A batch's progress: JSON, without any recipient, but its reader can check guesses by the digest: keep it as private as
 * the list. Store it whenever `save` is called, and pass it to the next run.
 */
export type BatchState = {
  version: 1
  /** Digest of the request, its sender and bridge: a run can't continue with another list, or look on another bridge for what it sent. */
  digest: Hex
  parts: {
    /** Intent id in decimal; null until its creation is in a block. */
    intentId: string | null
    createTxHash: Hex | null
    /** The attempts so far, at most one of which can be mined. Null before the first. */
    attempt: {
      nonce: number
      /** The chain's height at the first attempt. */
      fromBlock: number
      /** keccak256 of the sealed recipients of each attempt. */
      blobs: Hex[]
    } | null
  }[]
}

/** The state before anything is sent. */
export function createBatchState(digest: Hex, parts: number): BatchState {
  const part = { intentId: null, createTxHash: null, attempt: null }
  return { version: 1, digest, parts: Array.from({ length: parts }, () => ({ ...part })) }
}

/** Distinguishes requests, and senders and bridges of the same request. */
export function hashRequest(request: BatchRequest, sender: Address, bridge: Address): Hex {
  const { recipients, metadata = {}, viewers = [], ...terms } = request
  const list = recipients.map(({ address, amount }) => [address.toLowerCase(), String(amount)])
  const named = Object.entries(terms).map(([name, value]) => [name, String(value).toLowerCase()])
  const all = [
    (sender + bridge).toLowerCase(),
    named.sort(),
    list,
    Object.entries(metadata).sort(),
    viewers.map((one) => one.toLowerCase()),
  ]
  return keccak256(stringToHex(JSON.stringify(all)))
}

/** @throws CairnError `BATCH_STATE_INVALID` when the state belongs to another request */
export function requireSameBatch(state: BatchState, digest: Hex, parts: number): void {
  if (state.version === 1 && state.digest === digest && state.parts.length === parts) return
  const words =
    'the saved state belongs to another batch: continue with the same request, wallet, bridge and SDK. Without a state, all are paid again'
  throw new CairnError('BATCH_STATE_INVALID', words)
}

import { sql } from 'kysely'
import { concat, hashMessage, hexToNumber, numberToHex, recoverAddress, size, slice } from 'viem'
import {
  execTransactionCall,
  type SafeTransaction,
  safeTransactionHash,
} from '../../../../sdk/safe/safeTransaction.ts'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import type { Transaction } from '../../../chain/transactions/transactionRow.ts'
import { findEntryOfSafe } from '../entries/findStealthEntries.ts'
import { checkCall, type RelayedCall } from './checkCall.ts'
import { estimateSponsoredGas } from './estimateSponsoredGas.ts'
import { readSafe, requireUnchanged } from './readSafe.ts'
import { requirePaidSafe } from './requirePaidSafe.ts'
import {
  endedWithoutEffect,
  isUnwatched,
  type Requester,
  SponsorError,
  type Sponsorship,
} from './sponsorContext.ts'
import { sponsorTransaction } from './sponsorTransaction.ts'

/** A Safe transaction with its owner's signature. Addresses in lower case. */
type RelayRequest = RelayedCall & { safeAddress: Hex; signature: Hex }

/** How far around the Safe's nonce to search for the one that was signed, to explain a refusal. */
const NONCES_AROUND = 5n

/**
 * Makes one of our Safes execute the call that its owner signed, at the relayer's cost. First checks that the enclave
 * issued the Safe on this chain, that it holds a delivery, that its code and owner are unchanged, and that the call
 * delegates to no foreign code, refunds no gas and succeeds. The same Safe transaction always maps to the same
 * transaction of the relayer.
 *
 * @returns its id in `app.transaction`
 * @throws SponsorError; RPC errors
 */
export async function relaySafeTransaction(
  sponsorship: Sponsorship,
  requester: Requester,
  request: RelayRequest,
): Promise<number> {
  const { db, chainId, contracts } = sponsorship
  const { safeAddress, signature } = request
  const entry = await findEntryOfSafe(db, chainId, safeAddress)
  if (!entry) {
    const words =
      'this relayer issued no such Safe on this chain: check the chain, or send it yourself'
    throw new SponsorError('UNKNOWN_SAFE', words)
  }
  const owner = entry.stealthAddress
  const earlier = await findEarlier(sponsorship, request, owner)
  if (earlier !== null && !isUnwatched(earlier, sponsorship)) return earlier.id

  const safe = await readSafe(sponsorship, safeAddress)
  if (earlier !== null && safe.is === 'official' && safe.nonce > earlier.nonce) return earlier.id
  requireUnchanged(safe, owner)
  checkCall(request, contracts)
  const at = { chainId, safeAddress }
  const transaction = safeTransaction(request, safe.nonce)
  const hash = safeTransactionHash(at, transaction)
  const signed = await ownerSignature(hash, signature, owner)
  if (signed === null) throw await whyNotSigned(request, at, owner, safe.nonce)
  requester.charge(safeAddress)
  await requirePaidSafe(sponsorship, safeAddress)
  const data = execTransactionCall(transaction, signed)
  const gas = await estimateSponsoredGas(sponsorship, safeAddress, data)
  const relay = { nonce: safe.nonce, hash }
  return sponsorTransaction(sponsorship, requester, {
    kind: 'relaySafe',
    effect: hash,
    safeAddress,
    to: safeAddress,
    data,
    gas,
    relay,
  })
}

type Earlier = Pick<Transaction, 'id' | 'account' | 'state' | 'succeeded' | 'round'> & {
  nonce: bigint
}

/** The transaction of an earlier equal request, unless it failed. */
async function findEarlier(
  { db, chainId }: Sponsorship,
  request: RelayRequest,
  owner: Hex,
): Promise<Earlier | null> {
  const { safeAddress, signature } = request
  const { rows } = await sql<Earlier & { hash: Hex }>`
    select t.id, t.account, t.state, t.succeeded, t.round, s.safe_nonce as nonce, s.safe_tx_hash as hash
    from app.sponsored_transaction s join app.transaction t on t.id = s.transaction_id
    where s.chain_id = ${chainId}::bigint and s.safe_address = ${safeAddress}
      and s.kind = 'relaySafe'
    order by s.safe_nonce desc limit 500`.execute(db)
  for (const { nonce, hash, ...transaction } of rows) {
    if (endedWithoutEffect(transaction)) continue
    const asked = safeTransactionHash({ chainId, safeAddress }, safeTransaction(request, nonce))
    if (asked !== hash) continue
    if ((await ownerSignature(asked, signature, owner)) !== null) return { nonce, ...transaction }
  }
  return null
}

async function whyNotSigned(
  request: RelayRequest,
  at: { chainId: number; safeAddress: Hex },
  owner: Hex,
  expected: bigint,
): Promise<SponsorError> {
  const lowest = expected > NONCES_AROUND ? expected - NONCES_AROUND : 0n
  for (let nonce = lowest; nonce <= expected + NONCES_AROUND; nonce += 1n) {
    const hash = safeTransactionHash(at, safeTransaction(request, nonce))
    if ((await ownerSignature(hash, request.signature, owner)) === null) continue
    const words = `the signature is for nonce ${nonce}, but the Safe’s next nonce is ${expected}`
    return new SponsorError('SAFE_NONCE_MISMATCH', words, { expectedNonce: String(expected) })
  }
  return new SponsorError(
    'INVALID_SIGNATURE',
    `the signature is not the stealth key’s over the hash of this Safe transaction, with nonce ${expected} and all fields about gas zero`,
    { expectedNonce: String(expected) },
  )
}

function safeTransaction(
  { to, value, data, operation }: RelayRequest,
  nonce: bigint,
): SafeTransaction {
  return { to, value, data, operation: operation === 1 ? 1 : 0, nonce }
}

/**
 * Converts an owner's signature of a Safe transaction to the Safe's form: over the hash itself, or over the hash as a
 * message (`eth_sign`, which the Safe recognises by a higher `v`). Null when it isn't the owner's: a Safe's other
 * kinds, such as approvals on chain, don't come from a key.
 *
 * @param owner lower case
 */
export async function ownerSignature(hash: Hex, signature: Hex, owner: Hex): Promise<Hex | null> {
  if (size(signature) !== 65) return null
  const v = hexToNumber(slice(signature, 64))
  const plain = v < 2 ? v + 27 : v > 30 ? v - 4 : v
  if (plain !== 27 && plain !== 28) return null
  const key = concat([slice(signature, 0, 64), numberToHex(plain, { size: 1 })])
  if (v <= 28 && (await isSigner(hash, key, owner))) return key
  const message = hashMessage({ raw: hash })
  if (!(await isSigner(message, key, owner))) return null
  return concat([slice(signature, 0, 64), numberToHex(plain + 4, { size: 1 })])
}

async function isSigner(hash: Hex, signature: Hex, owner: Hex): Promise<boolean> {
  const signer = await recoverAddress({ hash, signature }).catch(() => null)
  return signer?.toLowerCase() === owner
}

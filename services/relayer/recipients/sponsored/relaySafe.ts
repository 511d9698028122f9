import { sql } from 'kysely'
import {
  execTransactionCall,
  type SafeTransaction,
  safeTransactionHash,
} from '../../../../sdk/safe/safeTransaction.ts'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import { majority } from '../../../chain/transactions/majority.ts'
import type { Transaction } from '../../../chain/transactions/transaction.ts'
import { entryOfSafe } from '../entries/entryOf.ts'
import { readSafe, type SafeNow } from '../safe/readSafe.ts'
import { checkCall, type RelayedCall } from './checkCall.ts'
import { ownerSignature } from './ownerSignature.ts'
import { requirePaid } from './requirePaid.ts'
import { sponsor } from './sponsor.ts'
import { SponsorError } from './sponsorError.ts'
import { cameToNothing } from './sponsored.ts'
import type { Asker, Sponsorship } from './sponsorship.ts'
import { tryCall } from './tryCall.ts'

/** A Safe transaction with its owner's signature. Addresses in lower case. */
type RelayRequest = RelayedCall & { safeAddress: Hex; signature: Hex }

/** How far around the Safe's nonce a signature is looked for, to say what is wrong with it. */
const NONCES_AROUND = 5n

/**
 * Has one of our Safes make the call that its owner signed, at the relayer's cost. Before sending, it checks
 * that the enclave issued the Safe on this chain, that it holds a delivery, that its code and owner are
 * unchanged, that it delegates to no foreign code, refunds no gas and succeeds. The same Safe transaction
 * always maps to the same transaction of the relayer.
 *
 * @returns its id in `app.transaction`
 * @throws SponsorError; what keeps the chain's nodes from answering
 */
export async function relaySafe(
  sponsorship: Sponsorship,
  asker: Asker,
  request: RelayRequest,
): Promise<number> {
  const { db, chainId, contracts } = sponsorship
  const { safeAddress, signature } = request
  const entry = await entryOfSafe(db, chainId, safeAddress)
  if (!entry)
    throw new SponsorError('UNKNOWN_SAFE', 'this relayer issued no such Safe on this chain')
  const owner = entry.stealthAddress
  const earlier = await findEarlier(sponsorship, request, owner)
  if (earlier !== null) return earlier

  const safe = await agreedSafe(sponsorship, safeAddress)
  if (safe.is === 'absent') {
    const words = 'the Safe is not deployed: call POST /recipient/deploy-safe first'
    throw new SponsorError('SAFE_NOT_DEPLOYED', words)
  }
  if (safe.is === 'foreign') {
    throw new SponsorError('SAFE_NOT_OFFICIAL', 'the Safe’s code is no longer Safe 1.4.1')
  }
  if (safe.threshold !== 1n || safe.owners.length !== 1 || safe.owners[0] !== owner) {
    throw new SponsorError(
      'SAFE_OWNER_CHANGED',
      'the stealth address is no longer the Safe’s only owner',
    )
  }
  checkCall(request, contracts)
  const at = { chainId, safeAddress }
  const transaction = safeTransaction(request, safe.nonce)
  const hash = safeTransactionHash(at, transaction)
  const signed = await ownerSignature(hash, signature, owner)
  if (signed === null) throw await whyNotSigned(request, at, owner, safe.nonce)
  asker.take(safeAddress)
  await requirePaid(sponsorship, safeAddress)
  const data = execTransactionCall(transaction, signed)
  const gas = await tryCall(sponsorship, safeAddress, data)
  const relay = { nonce: safe.nonce, hash }
  return sponsor(sponsorship, asker, {
    ...{ kind: 'relaySafe', effect: hash, safeAddress, to: safeAddress, data, gas, relay },
  })
}

/** A Safe as most nodes have it. Where they differ evenly it is one of ours: trying its call shows what that does. */
async function agreedSafe({ nodes, contracts }: Sponsorship, address: Hex): Promise<SafeNow> {
  const wordOf = (safe: SafeNow) => Object.values(safe).join()
  const said = await nodes.askAll((client) => readSafe(client, address, contracts), wordOf)
  const ours = said.find(({ is }) => is === 'official')
  return majority(said, wordOf) ?? ours ?? { is: 'absent' }
}

type Earlier = Pick<Transaction, 'id' | 'state' | 'succeeded' | 'round'> & { nonce: bigint }

/** The transaction that the same request led to before, unless that failed. */
async function findEarlier(
  { db, chainId }: Sponsorship,
  request: RelayRequest,
  owner: Hex,
): Promise<number | null> {
  const { safeAddress, signature } = request
  const { rows } = await sql<Earlier & { hash: Uint8Array }>`
    select t.id, t.state, t.succeeded, t.round, s.safe_nonce as nonce, s.safe_tx_hash as hash
    from app.sponsored_transaction s join app.transaction t on t.id = s.transaction_id
    where s.chain_id = ${chainId}::bigint and s.safe_address = ${safeAddress}
      and s.kind = 'relaySafe'
    order by s.safe_nonce desc limit 500`.execute(db)
  for (const { nonce, hash, ...transaction } of rows) {
    if (cameToNothing(transaction)) continue
    const asked = safeTransactionHash({ chainId, safeAddress }, safeTransaction(request, nonce))
    if (asked !== `0x${Buffer.from(hash).toString('hex')}`) continue
    if ((await ownerSignature(asked, signature, owner)) !== null) return transaction.id
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

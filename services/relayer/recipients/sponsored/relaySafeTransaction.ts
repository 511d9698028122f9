import { sql } from 'kysely'
import {
  type Hex as AnyHex,
  concat,
  decodeFunctionResult,
  encodeFunctionData,
  getAddress,
  hashMessage,
  hexToNumber,
  keccak256,
  numberToHex,
  type PublicClient,
  recoverAddress,
  size,
  slice,
} from 'viem'
import { parseMultiSend } from '../../../../core/safe/parseMultiSend.ts'
import { safeAbi } from '../../../../core/safe/safeAbi.ts'
import type { SafeContracts } from '../../../../core/safe/safeContracts.ts'
import { PROXY_CODE_HASH } from '../../../../core/safe/safeProxyCode.ts'
import {
  execTransactionCall,
  type SafeTransaction,
  safeTransactionHash,
} from '../../../../sdk/safe/safeTransaction.ts'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import { findMajority } from '../../../chain/transactions/medianAndMajority.ts'
import type { Transaction } from '../../../chain/transactions/transactionRow.ts'
import { findEntryOfSafe } from '../entries/findStealthEntries.ts'
import { estimateSponsoredGas } from './estimateSponsoredGas.ts'
import { requirePaidSafe } from './requirePaidSafe.ts'
import {
  endedWithoutEffect,
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

/**
 * A Safe according to most nodes. In a tie, it counts as our Safe: the simulation shows what its call does.
 */
async function agreedSafe({ nodes, contracts }: Sponsorship, address: Hex): Promise<SafeNow> {
  const wordOf = (safe: SafeNow) => Object.values(safe).join()
  const said = await nodes.queryAll((client) => readSafe(client, address, contracts), wordOf)
  const ours = said.find(({ is }) => is === 'official')
  return findMajority(said, wordOf) ?? ours ?? { is: 'absent' }
}

type Earlier = Pick<Transaction, 'id' | 'state' | 'succeeded' | 'round'> & { nonce: bigint }

/** The transaction of an earlier equal request, unless it failed. */
async function findEarlier(
  { db, chainId }: Sponsorship,
  request: RelayRequest,
  owner: Hex,
): Promise<number | null> {
  const { safeAddress, signature } = request
  const { rows } = await sql<Earlier & { hash: Hex }>`
    select t.id, t.state, t.succeeded, t.round, s.safe_nonce as nonce, s.safe_tx_hash as hash
    from app.sponsored_transaction s join app.transaction t on t.id = s.transaction_id
    where s.chain_id = ${chainId}::bigint and s.safe_address = ${safeAddress}
      and s.kind = 'relaySafe'
    order by s.safe_nonce desc limit 500`.execute(db)
  for (const { nonce, hash, ...transaction } of rows) {
    if (endedWithoutEffect(transaction)) continue
    const asked = safeTransactionHash({ chainId, safeAddress }, safeTransaction(request, nonce))
    if (asked !== hash) continue
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

type RelayedCall = { to: Hex; value: bigint; data: Hex; operation: number }

/**
 * Requires that a Safe delegates to no foreign code: it makes a call, or a list of calls through the Safe project's
 * library.
 *
 * @throws SponsorError `CALL_NOT_ALLOWED`
 */
export function checkCall(
  { to, value, data, operation }: RelayedCall,
  { multiSendCallOnly }: Pick<SafeContracts, 'multiSendCallOnly'>,
): void {
  if (operation === 0) return
  if (operation !== 1) throw notAllowed('operation must be 0 (a call) or 1 (a batch of calls)')
  if (to !== multiSendCallOnly) {
    throw notAllowed(
      `operation 1 is only for MultiSendCallOnly at ${getAddress(multiSendCallOnly)}`,
    )
  }
  if (value !== 0n) throw notAllowed('a batch can’t have a value: give it to its calls')
  const calls = parseMultiSend(data)
  if (calls === null) throw notAllowed('data must be one multiSend of at most 64 complete calls')
  const nested = calls.findIndex((call) => call.operation !== 0)
  if (nested !== -1) throw notAllowed(`call ${nested} of the batch is not a plain call`)
}

function notAllowed(message: string): SponsorError {
  return new SponsorError('CALL_NOT_ALLOWED', message)
}

type SafeReader = Pick<PublicClient, 'getCode' | 'getStorageAt' | 'call'>

/** A Safe's present state on its chain. */
type SafeNow =
  | { is: 'absent' }
  /** Its code isn't a Safe's, or it delegates to other code. */
  | { is: 'foreign' }
  | { is: 'official'; owners: Hex[]; threshold: bigint; nonce: bigint }

/** Gas limit of a read from a Safe: one that delegates to other code could run forever. */
const GAS = 200_000n

/**
 * Reads a Safe: first its code and singleton, and its own answers only if both are the Safe project's.
 *
 * @throws RPC errors
 */
async function readSafe(
  client: SafeReader,
  address: Hex,
  { singleton }: Pick<SafeContracts, 'singleton'>,
): Promise<SafeNow> {
  const [code, slot] = await Promise.all([
    client.getCode({ address }),
    client.getStorageAt({ address, slot: '0x0' }),
  ])
  if (code === undefined || code === '0x') return { is: 'absent' }
  const delegatesTo = `0x${(slot ?? '0x').slice(2).padStart(64, '0')}`.toLowerCase()
  const isOurs = delegatesTo === `0x${singleton.slice(2).padStart(64, '0')}`
  if (keccak256(code) !== PROXY_CODE_HASH || !isOurs) return { is: 'foreign' }
  const [owners, threshold, nonce] = await Promise.all([
    ask(client, address, 'getOwners'),
    ask(client, address, 'getThreshold'),
    ask(client, address, 'nonce'),
  ])
  const lower = (owners as AnyHex[]).map((owner) => owner.toLowerCase() as Hex)
  return { is: 'official', owners: lower, threshold: threshold as bigint, nonce: nonce as bigint }
}

async function ask(
  client: SafeReader,
  to: Hex,
  functionName: 'getOwners' | 'getThreshold' | 'nonce',
): Promise<unknown> {
  const data = encodeFunctionData({ abi: safeAbi, functionName })
  const answer = await client.call({ to, data, gas: GAS })
  return decodeFunctionResult({ abi: safeAbi, functionName, data: answer.data ?? '0x' })
}

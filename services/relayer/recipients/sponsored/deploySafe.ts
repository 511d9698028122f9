import { sql } from 'kysely'
import { type PublicClient, recoverAddress } from 'viem'
import { publicKeyToAddress } from 'viem/accounts'
import { encodeDeployment, predictSafe } from '../../../../core/safe/predictSafe.ts'
import { deploySafeMessageForms } from '../../../../sdk/messages/recipientMessageForms.ts'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import { findTransaction } from '../../../chain/transactions/findTransaction.ts'
import { findMajority } from '../../../chain/transactions/medianAndMajority.ts'
import { mapInParallel } from '../../../process/mapInParallel.ts'
import { asBytes } from '../../../store/database/columnSql.ts'
import type { Db } from '../../../store/database/openDatabase.ts'
import { findEntriesOfIntent, findEntryOfStealth } from '../entries/findStealthEntries.ts'
import type { StealthEntry } from '../entries/stealthEntryRows.ts'
import { estimateSponsoredGas } from './estimateSponsoredGas.ts'
import { requirePaidSafe } from './requirePaidSafe.ts'
import {
  endedWithoutEffect,
  isUnwatched,
  type Requester,
  SponsorError,
  type Sponsorship,
} from './sponsorContext.ts'
import { sponsorTransaction } from './sponsorTransaction.ts'

type DeployRequest = {
  /** As sent, in any case. */
  stealthAddress: string
  /** By the stealth key, or the recipient's spend key. */
  signature: Hex
}

type Deployment = {
  entry: StealthEntry
  /** Null when someone else has deployed the Safe. */
  transactionId: number | null
  /** Whether it counts against the requester's limit: a repeat doesn't. */
  isNew: boolean
}

/**
 * Deploys the Safe of a stealth address at the relayer's cost, once, if it has received a delivery.
 *
 * @throws SponsorError; RPC errors
 */
export async function deploySafe(
  sponsorship: Sponsorship,
  requester: Requester,
  { stealthAddress, signature }: DeployRequest,
): Promise<Deployment> {
  const { db, chainId, contracts } = sponsorship
  const owner = stealthAddress.toLowerCase() as Hex
  const entry = await findEntryOfStealth(db, owner)
  // The caller learns the Safe's address, so a row alone isn't enough.
  const isOurs = entry?.chainId === chainId
  if (!isOurs || entry.safeAddress !== predictSafe(owner, chainId, contracts).address) {
    throw new SponsorError(
      'UNKNOWN_SAFE',
      'this relayer issued no such stealth address on this chain: check the chain, or deploy the Safe yourself',
    )
  }
  await requireOwner(db, entry, deploySafeMessageForms(stealthAddress, chainId).hashes, signature)
  let isNew = false
  const charge = (safeAddress: Hex) => {
    requester.charge(safeAddress)
    isNew = true
  }
  const transactionId = await requestDeployment(sponsorship, { ...requester, charge }, entry)
  return { entry, transactionId, isNew }
}

async function requireOwner(
  db: Db,
  { stealthAddress, tag }: StealthEntry,
  hashes: readonly Hex[],
  signature: Hex,
): Promise<void> {
  const { rows } = await sql<{ key: Hex }>`
    select spend_pub_key as key from app.recipient where tag = ${asBytes(tag)}`.execute(db)
  const spenders = rows.map(({ key }) => publicKeyToAddress(key).toLowerCase())
  const owners = new Set<string>([stealthAddress, ...spenders])
  for (const hash of hashes) {
    const signer = await recoverAddress({ hash, signature }).catch(() => null)
    if (signer && owners.has(signer.toLowerCase())) return
  }
  throw new SponsorError(
    'INVALID_SIGNATURE',
    'the signature is not the stealth key’s, or the spend key’s, over DEPLOY_SAFE:<stealthAddress>:<chainId>',
  )
}

/** Safes checked at the nodes concurrently. */
const AT_ONCE = 8

/** Paid from their own parts of the intent's fee; no client requested them. */
const NOBODY: Requester = { client: null, charge: () => {} }

/**
 * Requests the deployment of the other Safes that an intent's sender named, so that one request deploys them all. Each
 * has its own transaction: a stranger who deploys a single Safe first would make a common one fail, at the relayer's
 * cost. The owners of Safes that aren't paid for now learn the reason when they ask.
 *
 * @throws RPC errors
 */
export async function deploySiblings(sponsorship: Sponsorship, entry: StealthEntry): Promise<void> {
  // Nothing shows that the intent pays a Safe that a stranger requested.
  if (entry.askedBy !== null) return
  const all = await findEntriesOfIntent(sponsorship.db, entry)
  const siblings = all.filter(
    ({ askedBy, safeAddress }) => askedBy === null && safeAddress !== entry.safeAddress,
  )
  await mapInParallel(siblings, AT_ONCE, (sibling) =>
    requestDeployment(sponsorship, NOBODY, sibling).catch((error: unknown) => {
      if (!(error instanceof SponsorError)) throw error
    }),
  )
}

/**
 * Requests the deployment of a Safe at the relayer's cost, once, if it has received a delivery.
 *
 * @returns the transaction's id; null when someone else has deployed the Safe
 * @throws SponsorError; RPC errors
 */
export async function requestDeployment(
  sponsorship: Sponsorship,
  requester: Requester,
  { stealthAddress, safeAddress, intentId }: StealthEntry,
): Promise<number | null> {
  const { db, nodes, chainId, contracts } = sponsorship
  const known = await findTransaction(db, { kind: 'deploySafe', chainId, effect: safeAddress })
  const isDone = known?.state === 'confirmed'
  if (known && !endedWithoutEffect(known) && !isUnwatched(known, sponsorship)) return known.id
  // If two nodes differ, it counts as not deployed: the attempt shows whether that is right.
  const isThere = async () => {
    const codeAt = async (client: Pick<PublicClient, 'getCode'>) =>
      ((await client.getCode({ address: safeAddress })) ?? '0x') !== '0x'
    return findMajority(await nodes.queryAll(codeAt, String), String) ?? false
  }
  if (await isThere()) return isDone ? known.id : null
  requester.charge(safeAddress)
  await requirePaidSafe(sponsorship, safeAddress)
  const data = encodeDeployment(predictSafe(stealthAddress, chainId, contracts), contracts)
  const to = contracts.proxyFactory
  const gas = await estimateSponsoredGas(sponsorship, to, data).catch(async (error: unknown) => {
    // Someone else may just have been faster.
    if (await isThere()) return null
    throw error
  })
  if (gas === null) return null
  // The Safes of a large intent are sent in turns, so that they delay no other transaction.
  const payer = `intent ${intentId}`
  return sponsorTransaction(sponsorship, requester, {
    kind: 'deploySafe',
    effect: safeAddress,
    safeAddress,
    to,
    data,
    gas,
    payer,
  })
}

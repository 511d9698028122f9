import { sql } from 'kysely'
import { bytesToHex, recoverAddress } from 'viem'
import { publicKeyToAddress } from 'viem/accounts'
import { deploySafeStatement } from '../../../../sdk/messages/recipientStatements.ts'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import { asBytes } from '../../../store/database/columns.ts'
import type { Db } from '../../../store/database/database.ts'
import { entryOfStealth } from '../entries/entryOf.ts'
import type { StealthEntry } from '../entries/stealthEntry.ts'
import { requestDeployment } from './requestDeployment.ts'
import { SponsorError } from './sponsorError.ts'
import type { Asker, Sponsorship } from './sponsorship.ts'

/** Who wants which Safe deployed. */
type DeployRequest = {
  /** As it was sent, in any letter case. */
  stealthAddress: string
  /** By the stealth key, or the recipient's spend key. */
  signature: Hex
}

/** What was asked for. */
type Deployment = {
  entry: StealthEntry
  /** Null when somebody else has deployed the Safe. */
  transactionId: number | null
  /** Whether it counts for the asker: a repeat doesn't. */
  isNew: boolean
}

/**
 * Deploys the Safe of a stealth address at the relayer's cost, once, if it has received a delivery.
 *
 * @throws SponsorError; what keeps the chain's nodes from answering
 */
export async function deploySafe(
  sponsorship: Sponsorship,
  asker: Asker,
  { stealthAddress, signature }: DeployRequest,
): Promise<Deployment> {
  const { db, chainId } = sponsorship
  const entry = await entryOfStealth(db, stealthAddress.toLowerCase() as Hex)
  if (entry?.chainId !== chainId) {
    throw new SponsorError(
      'UNKNOWN_SAFE',
      'this relayer issued no such stealth address on this chain',
    )
  }
  await requireOwner(db, entry, deploySafeStatement(stealthAddress, chainId).hashes, signature)
  let isNew = false
  const take = (safeAddress: Hex) => {
    asker.take(safeAddress)
    isNew = true
  }
  const transactionId = await requestDeployment(sponsorship, { ...asker, take }, entry)
  return { entry, transactionId, isNew }
}

async function requireOwner(
  db: Db,
  { stealthAddress, tag }: StealthEntry,
  hashes: readonly Hex[],
  signature: Hex,
): Promise<void> {
  const { rows } = await sql<{ key: Uint8Array }>`
    select spend_pub_key as key from app.recipient where tag = ${asBytes(tag)}`.execute(db)
  const spenders = rows.map(({ key }) => publicKeyToAddress(bytesToHex(key)).toLowerCase())
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

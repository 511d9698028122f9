import { sql } from 'kysely'
import { bytesToHex, encodeFunctionData, recoverAddress } from 'viem'
import { publicKeyToAddress } from 'viem/accounts'
import { predictSafe } from '../../../../core/safe/predictSafe.ts'
import { safeProxyFactoryAbi } from '../../../../core/safe/safeAbi.ts'
import { deploySafeStatement } from '../../../../sdk/messages/statements.ts'
import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import { findTransaction } from '../../../chain/transactions/findTransaction.ts'
import { asBytes } from '../../../store/database/asBytes.ts'
import type { Db } from '../../../store/database/database.ts'
import { entryOfStealth } from '../entries/entryOf.ts'
import type { StealthEntry } from '../entries/stealthEntry.ts'
import { requirePaid } from './requirePaid.ts'
import { sponsor } from './sponsor.ts'
import { SponsorError } from './sponsorError.ts'
import { cameToNothing } from './sponsored.ts'
import type { Asker, Sponsorship } from './sponsorship.ts'
import { tryCall } from './tryCall.ts'

/** Who wants which Safe deployed. */
export type DeployRequest = {
  /** As it was sent, in any letter case. */
  stealthAddress: string
  /** By the stealth key, or the recipient's spend key. */
  signature: Hex
}

/** `transactionId` is null when the Safe is there already by somebody else's doing. */
export type Deployment = { safeAddress: Hex; transactionId: number | null }

/**
 * Deploys the Safe of a stealth address at the relayer's cost, once, if a delivery has come to it.
 *
 * @throws SponsorError; what keeps the chain's nodes from answering
 */
export async function deploySafe(
  sponsorship: Sponsorship,
  asker: Asker,
  { stealthAddress, signature }: DeployRequest,
): Promise<Deployment> {
  const { db, client, chainId, contracts } = sponsorship
  const owner = stealthAddress.toLowerCase() as Hex
  const entry = await entryOfStealth(db, owner)
  if (entry?.chainId !== chainId) {
    throw new SponsorError(
      'UNKNOWN_SAFE',
      'this relayer issued no such stealth address on this chain',
    )
  }
  await requireOwner(db, entry, deploySafeStatement(stealthAddress, chainId).hashes, signature)
  const { safeAddress } = entry
  const known = await findTransaction(db, { kind: 'deploySafe', chainId, effect: safeAddress })
  if (known && !cameToNothing(known)) return { safeAddress, transactionId: known.id }
  const isThere = async () => ((await client.getCode({ address: safeAddress })) ?? '0x') !== '0x'
  if (await isThere()) return { safeAddress, transactionId: null }
  asker.take(safeAddress)
  await requirePaid(sponsorship, safeAddress)
  const { initializer, saltNonce } = predictSafe(owner, chainId, contracts)
  const data = encodeFunctionData({
    abi: safeProxyFactoryAbi,
    functionName: 'createProxyWithNonce',
    args: [contracts.singleton, initializer, saltNonce],
  })
  const to = contracts.proxyFactory
  const gas = await tryCall(sponsorship, to, data).catch(async (error: unknown) => {
    // Somebody may just have been faster.
    if (await isThere()) return null
    throw error
  })
  if (gas === null) return { safeAddress, transactionId: null }
  const transactionId = await sponsor(sponsorship, asker, {
    ...{ kind: 'deploySafe', effect: safeAddress, safeAddress, to, data, gas },
  })
  return { safeAddress, transactionId }
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

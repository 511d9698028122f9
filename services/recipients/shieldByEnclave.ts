import type { Hex } from '../../src/event/bridgeEvent.ts'
import { BundleError } from '../bundles/bundleError.ts'
import type { IntentTerms } from '../bundles/intentTerms.ts'
import type { ShieldedRecipient, ShieldRecipients } from '../bundles/shieldRecipients.ts'
import { EnclaveError } from '../enclave/enclaveError.ts'
import type { Enclave } from '../enclave/port.ts'
import type { Db } from '../store/database.ts'
import { entriesOfIntent } from './entries/entriesOfIntent.ts'
import { insertEntries } from './entries/insertEntries.ts'
import type { StealthEntry } from './entries/stealthEntry.ts'
import { findRegistered, type Registered } from './registration/findRegistered.ts'

/** What shielding asks of the enclave. */
export type ShieldingEnclave = Pick<Enclave, 'tagRecipients' | 'deriveStealth' | 'openTickets'>

/**
 * Shields recipients: each that is registered is replaced by the fresh Safe of this delivery, and Safes
 * that were given out for this intent are recognised. What is made out is written down at once: a bundle
 * that is then refused leaves an address that nobody pays, and the next one gets it again.
 *
 * @param now unix seconds
 */
export function shieldByEnclave(
  db: Db,
  enclave: ShieldingEnclave,
  now: () => number = () => Math.floor(Date.now() / 1_000),
): ShieldRecipients {
  return async (terms, recipients, caller = null) => {
    const registered = await findRegistered(db, enclave, terms.destChainId, recipients)
    const given = await givenOut(db, enclave, terms, recipients)
    const revealed: Hex[] = []
    const shielded: ShieldedRecipient[] = []
    // Two parts of a bundle never meet in one Safe, which would tell that they are one recipient's.
    const taken = new Set([...given.bySafe.values()].map(deliveryName))
    for (const [position, recipient] of recipients.entries()) {
      const wallet = registered.get(recipient.toLowerCase() as Hex)
      const known = given.bySafe.get(recipient.toLowerCase() as Hex)
      if (known) {
        shielded.push({ position, ...known })
        revealed.push(recipient)
      } else if (wallet) {
        const index = freeIndex(wallet, given.entries, taken, caller)
        const entry = await makeOut(enclave, terms, wallet, index, now())
        await insertEntries(db, [entry])
        shielded.push({ position, wallet: wallet.recipientAddress, index })
        revealed.push(entry.safeAddress)
      } else revealed.push(recipient)
    }
    return { recipients: revealed, shielded }
  }
}

type GivenOut = {
  entries: StealthEntry[]
  bySafe: Map<Hex, { wallet: Hex; index: number }>
}

async function givenOut(
  db: Db,
  enclave: ShieldingEnclave,
  { intentId, destChainId }: IntentTerms,
  recipients: readonly Hex[],
): Promise<GivenOut> {
  const entries = await entriesOfIntent(db, { intentId, chainId: destChainId })
  const named = new Set(recipients.map((recipient) => recipient.toLowerCase()))
  // Only what the bundle pays: anybody may have had others made out.
  const paid = entries.filter(({ safeAddress }) => named.has(safeAddress))
  if (paid.length === 0) return { entries, bySafe: new Map() }
  const { deliveries } = await enclave.openTickets({ tickets: paid.map(({ ticket }) => ticket) })
  const bySafe = new Map<Hex, { wallet: Hex; index: number }>()
  for (const [position, { safeAddress }] of paid.entries()) {
    const delivery = deliveries[position]
    if (!delivery) continue
    bySafe.set(safeAddress, { wallet: delivery.recipientAddress, index: delivery.index })
  }
  return { entries, bySafe }
}

/**
 * The first delivery that is free: not another one of this bundle's, and none that a stranger has asked
 * for, who would recognise the Safe when it is paid.
 */
function freeIndex(
  { recipientAddress, tags }: Registered,
  entries: readonly StealthEntry[],
  taken: Set<string>,
  caller: Hex | null,
): number {
  const strangers = new Set(
    entries
      .filter(({ tag, askedBy }) => tags.includes(tag) && askedBy !== null && askedBy !== caller)
      .map(({ index }) => index),
  )
  const name = (index: number) => deliveryName({ wallet: recipientAddress, index })
  let index = 0
  while (strangers.has(index) || taken.has(name(index))) index += 1
  taken.add(name(index))
  return index
}

function deliveryName({ wallet, index }: { wallet: Hex; index: number }): string {
  return `${wallet.toLowerCase()}:${index}`
}

/**
 * What a delivery is made out to: the same for the same delivery.
 *
 * @throws BundleError `DESTINATION_NOT_FOLLOWED`
 */
export async function makeOut(
  enclave: Pick<Enclave, 'deriveStealth'>,
  { destChainId: chainId, intentId }: Pick<IntentTerms, 'destChainId' | 'intentId'>,
  { recipientAddress, contractOn }: Pick<Registered, 'recipientAddress' | 'contractOn'>,
  index: number,
  createdAt: number,
): Promise<StealthEntry> {
  const delivery = { recipientAddress, contractOn, chainId, intentId, index }
  const stealth = await enclave.deriveStealth(delivery).catch((error: unknown) => {
    throw isUnknownChain(error) ? notFollowed(chainId) : error
  })
  return { ...stealth, chainId, intentId, index, askedBy: null, createdAt }
}

function isUnknownChain(error: unknown): boolean {
  return error instanceof EnclaveError && error.code === 'CHAIN_NOT_CONFIGURED'
}

function notFollowed(chainId: number): BundleError {
  return new BundleError(
    'DESTINATION_NOT_FOLLOWED',
    `a registered wallet is paid at a Safe of its own, and chain ${chainId}, on which the intent pays, is not followed here: name an address that isn't registered, or cancel the intent`,
  )
}

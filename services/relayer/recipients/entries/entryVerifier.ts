import { LRUCache } from 'lru-cache'
import type { Enclave, ResponseOf } from '../../../enclave/enclaveInterface.ts'
import type { Db } from '../../../store/database/openDatabase.ts'
import type { Registered } from '../registration/registeredRecipientStore.ts'
import type { SeenEntry } from './findStealthEntries.ts'
import { deleteFalse, insertEntries } from './stealthEntryRows.ts'

export type EntryVerifier = {
  /**
   * Recipients' entries with the addresses that the enclave derives for their deliveries: a recipient may give them to
   * its payers, so rows aren't trusted. A row that differs is corrected. Omits entries that can't be derived, on chains
   * that aren't configured.
   */
  verify(recipients: readonly Registered[], entries: readonly SeenEntry[]): Promise<SeenEntry[]>
}

type Derived = Omit<
  NonNullable<ResponseOf<'deriveStealths'>['derived'][number]>,
  'spendPubKey' | 'viewPubKey'
>

/** Derivations per call: some tens of milliseconds of the enclave's only thread. */
const AT_ONCE = 100

/** Entries remembered as genuine, since an entry's addresses never change. */
const MAX_REMEMBERED = 20_000

export function createEntryVerifier(
  db: Db,
  enclave: Pick<Enclave, 'publicKeys' | 'deriveStealths'>,
): EntryVerifier {
  const genuine = new LRUCache<string, true>({ max: MAX_REMEMBERED })
  return {
    async verify(recipients, entries) {
      const known = new Set(entries.filter((entry) => genuine.has(nameOf(entry))))
      const unknown = entries.filter((entry) => !known.has(entry) && isPossible(entry))
      const derived = await deriveAll(enclave, recipients, unknown)
      const corrected: SeenEntry[] = []
      const verified = entries.flatMap((row) => {
        const own = derived.get(row)
        if (own === undefined) return known.has(row) ? [row] : []
        if (isSame(row, own)) return [row]
        const entry = { ...row, ...own, deployedSeenAt: null, deployedForGood: false }
        corrected.push(entry)
        return [entry]
      })
      if (corrected.length > 0) {
        await deleteFalse(db, corrected)
        await insertEntries(db, corrected)
      }
      for (const entry of verified) genuine.set(nameOf(entry), true)
      return verified
    },
  }
}

/** What the enclave derives for these entries, each under the root of its tag. */
async function deriveAll(
  enclave: Pick<Enclave, 'publicKeys' | 'deriveStealths'>,
  recipients: readonly Registered[],
  entries: readonly SeenEntry[],
): Promise<Map<SeenEntry, Derived>> {
  const found = new Map<SeenEntry, Derived>()
  if (entries.length === 0) return found
  const { keyId, previousKeyIds } = await enclave.publicKeys()
  const keyIds = [keyId, ...previousKeyIds]
  const owners = new Map(
    recipients.flatMap(({ recipientAddress, contractOn, tags }) =>
      tags.map(
        (tag, root) => [tag, { recipientAddress, contractOn, keyId: keyIds[root] }] as const,
      ),
    ),
  )
  for (let from = 0; from < entries.length; from += AT_ONCE) {
    const some = entries.slice(from, from + AT_ONCE)
    const deliveries = some.map(({ tag, chainId, intentId, index }) => {
      const owner = owners.get(tag)
      if (owner === undefined) throw new Error('an entry of another recipient')
      return { ...owner, chainId, intentId, index }
    })
    const { derived } = await enclave.deriveStealths({ deliveries })
    for (const [position, entry] of some.entries()) {
      const own = derived[position]
      if (!own) continue
      const { spendPubKey: _, viewPubKey: __, ...stealth } = own
      found.set(entry, stealth)
    }
  }
  return found
}

/** Whether an entry's delivery is a valid request to the enclave. */
function isPossible({ chainId, intentId }: SeenEntry): boolean {
  return Number.isSafeInteger(chainId) && chainId > 0 && intentId >= 0n && intentId < 2n ** 256n
}

type Addresses = Pick<SeenEntry, 'stealthAddress' | 'safeAddress' | 'ephemeralPubKey'>

function isSame(one: Addresses, other: Addresses): boolean {
  return (
    one.stealthAddress === other.stealthAddress &&
    one.safeAddress === other.safeAddress &&
    one.ephemeralPubKey === other.ephemeralPubKey
  )
}

function nameOf({ tag, chainId, intentId, index, ...addresses }: SeenEntry): string {
  const { stealthAddress, safeAddress, ephemeralPubKey } = addresses
  return [tag, chainId, intentId, index, stealthAddress, safeAddress, ephemeralPubKey].join(' ')
}

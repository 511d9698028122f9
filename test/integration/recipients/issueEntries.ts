import type { Enclave } from '../../../services/enclave/enclaveInterface.ts'
import {
  insertEntries,
  type StealthEntry,
} from '../../../services/relayer/recipients/entries/stealthEntryRows.ts'
import type { Db } from '../../../services/store/database/openDatabase.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'

/** Issues one address of a wallet for each of the intents 1 to `count`, in the order of their creation. */
export async function issueEntries(
  db: Db,
  enclave: Pick<Enclave, 'deriveStealths'>,
  { wallet, chainId, count }: { wallet: Hex; chainId: number; count: number },
): Promise<StealthEntry[]> {
  const recipientAddress = wallet.toLowerCase() as Hex
  const entries: StealthEntry[] = []
  while (entries.length < count) {
    const deliveries = Array.from({ length: Math.min(1_000, count - entries.length) }, (_, at) => {
      return { recipientAddress, chainId, intentId: BigInt(entries.length + at + 1), index: 0 }
    })
    const { derived } = await enclave.deriveStealths({ deliveries })
    for (const [at, { intentId }] of deliveries.entries()) {
      const { spendPubKey: _, viewPubKey: __, ...stealth } = derived[at]!
      const createdAt = Number(intentId)
      entries.push({ ...stealth, chainId, intentId, index: 0, askedBy: null, createdAt })
    }
  }
  await insertEntries(db, entries)
  return entries
}

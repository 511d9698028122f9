import type { SourceFacts } from '../../../../src/intent/facts.ts'
import type { Replaced } from '../../../enclave/enclaveInterface.ts'
import type { StealthEntry } from './stealthEntry.ts'

/** The rows of the Safes that an intent's registered wallets are paid at. */
export function toStealthEntries(
  {
    destChainId: chainId,
    intentId,
    createdAt,
  }: Pick<SourceFacts, 'destChainId' | 'intentId' | 'createdAt'>,
  replaced: readonly Replaced[],
): StealthEntry[] {
  return replaced.map(({ position: _, spendPubKey: __, viewPubKey: ___, ...stealth }) => ({
    ...stealth,
    ...{ chainId, intentId, createdAt, askedBy: null },
  }))
}

import { z } from '@hono/zod-openapi'
import { getAddress } from 'viem'
import {
  contentsKey,
  loadBalances,
  NOTHING_YET,
  transfersReadUpTo,
} from '../../../services/relayer/recipients/balances/loadBalances.ts'
import { requestBalanceRefresh } from '../../../services/relayer/recipients/balances/requestBalanceRefresh.ts'
import {
  type EntryPlace,
  findEntriesOfRecipient,
  type SeenEntry,
} from '../../../services/relayer/recipients/entries/findStealthEntries.ts'
import type { Registered } from '../../../services/relayer/recipients/registration/registeredRecipientStore.ts'
import { address, amount, chainId, count, flag, intentId } from '../../http/valueSchemas.ts'
import type { RecipientContext } from './recipientContext.ts'

const tokenBalance = z
  .object({
    token: address,
    balance: amount,
    isListed: flag.describe(
      'Whether the bridge lists the token or the operator configured it. Anyone can create other tokens.',
    ),
  })
  .openapi('SafeBalance')

export const stealthEntrySchema = z
  .object({
    address: address.describe('The stealth address, EIP-55 checksummed.'),
    ephemeralPubKey: z.string().describe('Uncompressed (ERC-5564, scheme 1).'),
    chainId: chainId.describe('The chain that the funds are on.'),
    intentId,
    safeDeployed: z.boolean(),
    safeDeployedAsOf: count
      .nullable()
      .describe(
        'Unix time of the last check. Null before the first check, while safeDeployed is unknown.',
      ),
    safeAddress: address.describe('The Safe 1.4.1 that the stealth address owns.'),
    createdAt: count.describe('Unix seconds.'),
    balances: z
      .array(tokenBalance)
      .describe('Balances of the received tokens. Empty while nothing has arrived.'),
    balancesAt: count
      .nullable()
      .describe('Unix time of the balances’ block. Null while nothing has arrived.'),
    swept: z.boolean().describe('Whether listed tokens arrived and all of them have left.'),
    transfersReadTo: count
      .nullable()
      .describe(
        'Unix time of the last block whose transfers were read. Null before the first read.',
      ),
  })
  .openapi('StealthAddress')

type RenderedEntry = z.output<typeof stealthEntrySchema>

/** A page of addresses, and where it ends, for the next page; null: it is the last. */
type AddressPage = { stealthAddresses: RenderedEntry[]; last: EntryPlace | null }

/**
 * A page of the addresses issued to a recipient, oldest first, after a check of which Safes are deployed.
 *
 * @param recipients the wallet: as a key, or as a contract on each chain on which it proved to be one
 * @param client the client that is charged for the checks
 * @param after where the previous page ended
 */
export async function listRecipientAddresses(
  { reads: { db }, entries: verifier, deployed }: RecipientContext,
  recipients: readonly Registered[],
  client: string,
  after: EntryPlace | null = null,
): Promise<AddressPage> {
  const tags = recipients.flatMap((recipient) => recipient.tags)
  const { entries: rows, last } = await findEntriesOfRecipient(db, tags, after)
  const entries = await verifier.verify(recipients, rows)
  await requestBalanceRefresh(db, entries)
  const [times, contents] = await Promise.all([
    transfersReadUpTo(db, entries),
    loadBalances(db, entries),
  ])
  const hasSent = (entry: SeenEntry) => contents.get(contentsKey(entry))?.swept === true
  const checks = await deployed.check(entries, client, hasSent)
  const stealthAddresses = entries.map((entry, position) => {
    const { balances, balancesAt, swept } = contents.get(contentsKey(entry)) ?? NOTHING_YET
    const { isDeployed = false, checkedAt = null } = checks[position] ?? {}
    return {
      address: getAddress(entry.stealthAddress),
      ephemeralPubKey: entry.ephemeralPubKey,
      chainId: String(entry.chainId),
      intentId: String(entry.intentId),
      safeDeployed: isDeployed,
      safeDeployedAsOf: checkedAt === null ? null : Math.floor(checkedAt / 1_000),
      safeAddress: getAddress(entry.safeAddress),
      createdAt: entry.createdAt,
      balances: balances.map(({ token, balance, isListed }) => ({
        token: getAddress(token),
        balance: String(balance),
        isListed,
      })),
      balancesAt,
      swept,
      transfersReadTo: times.get(contentsKey(entry)) ?? null,
    }
  })
  return { stealthAddresses, last }
}

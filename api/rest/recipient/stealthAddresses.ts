import { z } from '@hono/zod-openapi'
import { getAddress } from 'viem'
import {
  contentsKey,
  loadBalances,
  NOTHING_YET,
  transfersReadUpTo,
} from '../../../services/relayer/recipients/balances/loadBalances.ts'
import { wakeSafes } from '../../../services/relayer/recipients/balances/wakeSafes.ts'
import {
  entriesOfRecipient,
  type SeenEntry,
} from '../../../services/relayer/recipients/entries/findEntries.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { address, amount, chainId, count, intentId } from '../../http/valueSchemas.ts'
import type { RecipientContext } from './recipientContext.ts'

const tokenBalance = z
  .object({
    token: address,
    balance: amount,
    isListed: z.boolean().openapi({
      description: 'Whether the bridge or the operator lists the token; anyone can create others.',
    }),
  })
  .openapi('SafeBalance')

export const stealthEntrySchema = z
  .object({
    address: address.openapi({ description: 'The stealth address, EIP-55 checksummed.' }),
    ephemeralPubKey: z.string().openapi({ description: 'Uncompressed (ERC-5564, scheme 1).' }),
    chainId: chainId.openapi({ description: 'Where the money is.' }),
    intentId,
    safeDeployed: z.boolean(),
    safeDeployedAsOf: count.nullable().openapi({
      description:
        'Unix time at which the chain said so; null while it couldn’t be asked, and safeDeployed is then unknown.',
    }),
    safeAddress: address.openapi({ description: 'The Safe 1.4.1 whose only owner it is.' }),
    createdAt: count.openapi({ description: 'Unix seconds.' }),
    balances: z.array(tokenBalance).openapi({
      description: 'Balances according to the tokens received; empty while nothing has arrived.',
    }),
    balancesAt: count.nullable().openapi({
      description: 'Unix time of the block they are from; null while nothing has arrived.',
    }),
    swept: z.boolean().openapi({
      description: 'Listed tokens arrived, and all of them have left.',
    }),
    transfersReadTo: count.nullable().openapi({
      description:
        'Unix time of the block up to which the Safe’s transfers are known; null before the first read.',
    }),
  })
  .openapi('StealthAddress')

type RenderedEntry = z.output<typeof stealthEntrySchema>

/**
 * All addresses issued to a recipient, the oldest first, with a check of which Safes are deployed.
 *
 * @param tags what stands for the recipient
 * @param client whose pace the looks are charged to
 */
export async function stealthAddressesOf(
  { reads: { db }, deployed }: RecipientContext,
  tags: readonly Hex[],
  client: string,
): Promise<RenderedEntry[]> {
  const entries = await entriesOfRecipient(db, tags)
  await wakeSafes(db, entries)
  const [times, contents] = await Promise.all([
    transfersReadUpTo(db, entries),
    loadBalances(db, entries),
  ])
  const hasSent = (entry: SeenEntry) => contents.get(contentsKey(entry))?.swept === true
  const looks = await deployed.look(entries, client, hasSent)
  return entries.map((entry, position) => {
    const { balances, balancesAt, swept } = contents.get(contentsKey(entry)) ?? NOTHING_YET
    const { isDeployed = false, askedAt = null } = looks[position] ?? {}
    return {
      address: getAddress(entry.stealthAddress),
      ephemeralPubKey: entry.ephemeralPubKey,
      chainId: String(entry.chainId),
      intentId: String(entry.intentId),
      safeDeployed: isDeployed,
      safeDeployedAsOf: askedAt === null ? null : Math.floor(askedAt / 1_000),
      safeAddress: getAddress(entry.safeAddress),
      createdAt: entry.createdAt,
      balances: balances.map(({ token, balance, isListed }) => ({
        ...{ token: getAddress(token), balance: String(balance), isListed },
      })),
      ...{ balancesAt, swept },
      transfersReadTo: times.get(contentsKey(entry)) ?? null,
    }
  })
}

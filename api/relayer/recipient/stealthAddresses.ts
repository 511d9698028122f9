import { z } from '@hono/zod-openapi'
import { getAddress } from 'viem'
import {
  contentsKey,
  loadBalances,
  NOTHING_YET,
} from '../../../services/recipients/balances/loadBalances.ts'
import {
  entriesOfRecipient,
  type SeenEntry,
} from '../../../services/recipients/entries/entriesOfRecipient.ts'
import { markDeployed } from '../../../services/recipients/entries/markDeployed.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { address, amount, chainId, intentId } from '../values.ts'
import type { WriteContext } from '../writeContext.ts'

const tokenBalance = z
  .object({
    token: address,
    balance: amount,
    isListed: z.boolean().openapi({
      description:
        'Whether the bridge or the operator lists the token; anybody can make up others.',
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
    safeAddress: address.openapi({ description: 'The Safe 1.4.1 that it alone owns.' }),
    createdAt: z.number().int().openapi({ description: 'Unix seconds.' }),
    balances: z.array(tokenBalance).openapi({
      description: 'What the tokens that came say is in the Safe; empty while nothing has come.',
    }),
    balancesAt: z.number().int().nullable().openapi({
      description: 'Unix time of the block that they said it at; null while nothing has come.',
    }),
    swept: z.boolean().openapi({
      description: 'Listed tokens came, and all of them have left.',
    }),
  })
  .openapi('StealthAddress')

export type RenderedEntry = z.output<typeof stealthEntrySchema>

/** Milliseconds after which a Safe that was there is looked for again, in case a reorg took it away. */
const SEEN_FOR = 3_600_000

/** Safes that one request has looked for, the newest; older ones are as they were last seen. */
const MOST_LOOKS = 100

/**
 * Everything that was made out to a recipient, the oldest first, with a look at which of the Safes are there.
 *
 * @param tags what stands for the recipient
 */
export async function stealthAddressesOf(
  context: WriteContext,
  tags: readonly Hex[],
): Promise<RenderedEntry[]> {
  const entries = await entriesOfRecipient(context.reads.db, tags)
  const unsure = entries.filter(isUnsure).slice(-MOST_LOOKS)
  const looked = new Map(
    await Promise.all(
      unsure.map(async (entry) => [entry, await isDeployed(context, entry)] as const),
    ),
  )
  const contents = await loadBalances(context.reads.db, entries)
  return entries.map((entry) => {
    const { balances, balancesAt, swept } = contents.get(contentsKey(entry)) ?? NOTHING_YET
    return {
      address: getAddress(entry.stealthAddress),
      ephemeralPubKey: entry.ephemeralPubKey,
      chainId: String(entry.chainId),
      intentId: String(entry.intentId),
      safeDeployed: looked.get(entry) ?? entry.deployedSeenAt !== null,
      safeAddress: getAddress(entry.safeAddress),
      createdAt: entry.createdAt,
      balances: balances.map(({ token, balance, isListed }) => ({
        ...{ token: getAddress(token), balance: String(balance), isListed },
      })),
      ...{ balancesAt, swept },
    }
  })
}

function isUnsure({ deployedSeenAt }: SeenEntry): boolean {
  return deployedSeenAt === null || Date.now() - deployedSeenAt.getTime() > SEEN_FOR
}

/** A chain that is away leaves what was last seen. */
async function isDeployed(
  { clientOf, reads: { db } }: WriteContext,
  { chainId, safeAddress, deployedSeenAt }: SeenEntry,
): Promise<boolean> {
  const wasSeen = deployedSeenAt !== null
  try {
    const code = await clientOf(chainId)?.getCode({ address: safeAddress })
    const isThere = code !== undefined && code !== '0x'
    if (isThere) await markDeployed(db, chainId, safeAddress)
    return isThere
  } catch {
    return wasSeen
  }
}

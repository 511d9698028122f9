import { type Address, BaseError, erc20Abi, type Hex, type PublicClient } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { safeAbi } from '../../core/safe/safeAbi.ts'
import type { ClientContext } from '../client/clientOptions.ts'
import { CairnError } from '../errors/cairnError.ts'
import { invalidArgument, requireAddress } from '../errors/invalidArgument.ts'
import { isUndecodable, withChainErrors } from '../errors/toCairnError.ts'
import { atPace } from '../relayer/atPace.ts'
import type { ListedAddresses } from '../relayer/relayerClient.ts'
import type { StealthEntry } from '../relayer/relayerResponses.ts'
import { asSafeTransaction } from '../safe/multiSend.ts'
import { safeTransactionHash } from '../safe/safeTransaction.ts'
import { NATIVE, transferCall } from '../safe/transferCall.ts'
import { deploySafe } from './deploySafe.ts'

export type SweepOptions = {
  /** The receiver. Default: the wallet itself, which publicly links it to the Safes. */
  to?: Address
  /** Entries of `list` to sweep. Default: all with a balance. */
  entries?: readonly StealthEntry[]
  /** Called after each Safe. */
  onProgress?: (swept: SweptSafe) => void
}

/** The result for one Safe. */
export type SweptSafe = {
  entry: StealthEntry
  /** Base units. */
  moved: { token: Address; amount: bigint }[]
  /** What stays, because its token refuses or doesn’t answer for now: it may be paused, or block the Safe or the receiver. */
  left: { token: Address; amount: bigint }[]
  /** Null if the Safe was empty or the sweep failed. */
  txHash: Hex | null
  /** Null on success. */
  error: CairnError | null
}

/** What a sweep needs from its recipient. */
export type SweepContext = Pick<ClientContext, 'relayer' | 'chains'> & {
  recipient: {
    address: Address
    list(options: ListedAddresses): Promise<StealthEntry[]>
    stealthKey(entry: Pick<StealthEntry, 'address'>): Promise<Hex>
  }
}

/** A relayer takes ten Safe transactions a minute from each client. */
const PACE = { attempts: 10, pauseMs: 6_000 }

/**
 * Empties Safes one after another, as fast as the relayer's rate limit allows.
 *
 * @throws CairnError `INVALID_REQUEST` for a receiver that isn't an address
 */
export async function sweepSafes(
  context: SweepContext,
  { to = context.recipient.address, entries, onProgress }: SweepOptions = {},
): Promise<SweptSafe[]> {
  requireAddress(to, 'to')
  if (to === NATIVE)
    throw invalidArgument('to', 'an account, not the zero address: the funds would be lost')
  const all = entries ?? (await context.recipient.list({ isFunded: true }))
  const results: SweptSafe[] = []
  for (const entry of all) {
    const swept = await atPace(PACE, () => sweepSafe(context, entry, to)).catch(
      (error: unknown): SweptSafe => {
        if (!(error instanceof CairnError)) throw error
        return { entry, moved: [], left: [], txHash: null, error }
      },
    )
    results.push(swept)
    onProgress?.(swept)
  }
  return results
}

async function sweepSafe(
  context: SweepContext,
  entry: StealthEntry,
  to: Address,
): Promise<SweptSafe> {
  const { chainId, safeAddress } = entry
  const client = requireClient(context, chainId)
  const { moved, left } = await readHoldings(client, entry, to)
  if (moved.length === 0) {
    const words = 'the tokens in this Safe refuse to be moved now: try again later'
    const error = left.length === 0 ? null : new CairnError('CONTRACT_REVERTED', words)
    return { entry, moved, left, txHash: null, error }
  }
  const key = await context.recipient.stealthKey(entry)
  const isDeployed =
    (await withChainErrors(() => client.getCode({ address: safeAddress }))) !== undefined
  if (!isDeployed) await deploySafe(context, entry, key)
  const nonce = await withChainErrors(() =>
    client.readContract({ address: safeAddress, abi: safeAbi, functionName: 'nonce' }),
  )
  const calls = moved.map(({ token, amount }) => transferCall(token, to, amount))
  const transaction = asSafeTransaction(calls, nonce)
  const hash = safeTransactionHash({ chainId, safeAddress }, transaction)
  const signature = await privateKeyToAccount(key).sign({ hash })
  const request = { ...transaction, safeAddress, chainId, signature }
  return { entry, moved, left, txHash: await context.relayer.relayProxy(request), error: null }
}

type Held = { token: Address; amount: bigint; isMovable: boolean }

/**
 * What a Safe holds, by the chain. Each transfer is simulated by itself: a token that refuses, or is broken, mustn't hold back
 * the others. Unlisted tokens may be anyone's, and cost more to move than they are worth.
 */
async function readHoldings(
  client: PublicClient,
  { safeAddress, balances }: StealthEntry,
  to: Address,
): Promise<Pick<SweptSafe, 'moved' | 'left'>> {
  const held = await Promise.all(
    balances
      .filter(({ isListed }) => isListed)
      .map(async ({ token, balance }): Promise<Held> => {
        const of = { address: token, abi: erc20Abi, functionName: 'balanceOf' } as const
        const read = () => client.readContract({ ...of, args: [safeAddress] })
        const amount = await unlessRefused(read)
        // Stays, by what the relayer last saw: it isn't gone because it can't be read.
        if (amount === null) return { token, amount: balance, isMovable: false }
        const move = () => client.call({ ...transferCall(token, to, amount), account: safeAddress })
        const answer = amount === 0n ? null : await unlessRefused(move)
        // Some tokens return nothing, and some return false instead of reverting.
        return { token, amount, isMovable: answer !== null && !/^0x0+$/.test(answer.data ?? '0x') }
      }),
  )
  const some = held.filter(({ amount }) => amount > 0n)
  const pick = (isMovable: boolean) =>
    some.flatMap(({ isMovable: can, ...one }) => (can === isMovable ? [one] : []))
  return { moved: pick(true), left: pick(false) }
}

/** Null if the contract reverts, or answers with something else. @throws if the chain doesn't answer */
async function unlessRefused<Answer>(ask: () => Promise<Answer>): Promise<Answer | null> {
  return withChainErrors(ask).catch((error: unknown) => {
    const isRevert = error instanceof CairnError && error.code === 'CONTRACT_REVERTED'
    if (isRevert || (error instanceof BaseError && isUndecodable(error))) return null
    throw error
  })
}

function requireClient({ chains }: SweepContext, chainId: number): PublicClient {
  const client = chains.find((chain) => chain.chainId === chainId)?.publicClient
  if (client !== undefined) return client
  const words = `no publicClient is configured for chain ${chainId}`
  throw new CairnError('UNSUPPORTED_CHAIN', words, { details: { chainId } })
}

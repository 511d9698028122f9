import { type Address, erc20Abi, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { safeAbi } from '../../core/safe/safeAbi.ts'
import type { ChainClient, ClientContext } from '../client/clientOptions.ts'
import { CairnError } from '../errors/cairnError.ts'
import { isViemError } from '../errors/findViemError.ts'
import { invalidArgument, requireAddress } from '../errors/invalidArgument.ts'
import { isUndecodable, toCairnError, withChainErrors } from '../errors/toCairnError.ts'
import { atPace } from '../relayer/atPace.ts'
import type { ListedAddresses } from '../relayer/relayerQueries.ts'
import type { StealthEntry } from '../relayer/relayerResponses.ts'
import { asSafeTransaction } from '../safe/multiSend.ts'
import { safeTransactionHash } from '../safe/safeTransaction.ts'
import { NATIVE, transferCall } from '../safe/transferCall.ts'
import { deploySafe } from './deploySafe.ts'
import { requireExecuted } from './requireExecuted.ts'

export type SweepOptions = {
  /** The receiver. Default: the wallet itself, which publicly links it to the Safes. */
  to?: Address
  /** Entries of `list` to sweep. Default: all with a balance. */
  entries?: readonly StealthEntry[]
  /** Called after each Safe. */
  onProgress?: ((swept: SweptSafe) => void) | undefined
}

/** The result for one Safe. */
export type SweptSafe = {
  entry: StealthEntry
  /** Base units. */
  moved: { token: Address; amount: bigint }[]
  /** What stays, because its token refuses or doesn’t answer for now: it may be paused, or block the Safe or the receiver. */
  left: { token: Address; amount: bigint }[]
  /** Null if the Safe was empty, or the chain doesn’t show that the sweep succeeded. */
  txHash: Hex | null
  /**
   * Null on success. With `details.txHash`, the chain doesn’t show that this transaction moved the Safe’s tokens to the receiver:
   * sweep again, which moves only what is still there. A token that takes a fee, or logs no transfer, never shows it.
   */
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
        if (error instanceof WalletFailed) throw error.cause
        return { entry, moved: [], left: [], txHash: null, error: describeFailure(error) }
      },
    )
    results.push(swept)
    onProgress?.(swept)
  }
  return results
}

/** The wallet's own failure, such as its owner's refusal, ends a sweep: the next Safe would only make it ask again. */
class WalletFailed extends Error {}

/** Whatever is wrong with one Safe, its entry or its chain's node mustn't hold back the others. */
function describeFailure(error: unknown): CairnError {
  const known = toCairnError(error)
  if (known instanceof CairnError) return known
  if (isViemError(error)) {
    const words = 'the chain’s RPC gave no usable answer: sweep this Safe again'
    return new CairnError('RPC_UNREACHABLE', words, { cause: error })
  }
  const words = 'this entry can’t be swept: pass it as list() returned it'
  return new CairnError('INVALID_REQUEST', words, { cause: error, details: { field: 'entries' } })
}

async function sweepSafe(
  context: SweepContext,
  entry: StealthEntry,
  to: Address,
): Promise<SweptSafe> {
  requireAddresses(entry)
  const { chainId, safeAddress } = entry
  const { client, multiSendCallOnly } = requireChain(context, chainId)
  const after = await withChainErrors(() => client.getBlockNumber({ cacheTime: 0 }))
  const { moved, left } = await readHoldings(client, entry, to)
  if (moved.length === 0) {
    const words = 'the tokens in this Safe refuse to be moved now: try again later'
    const error = left.length === 0 ? null : new CairnError('CONTRACT_REVERTED', words)
    return { entry, moved, left, txHash: null, error }
  }
  const key = await context.recipient.stealthKey(entry).catch((cause: unknown) => {
    throw cause instanceof CairnError ? cause : new WalletFailed('', { cause })
  })
  const isDeployed =
    (await withChainErrors(() => client.getCode({ address: safeAddress }))) !== undefined
  if (!isDeployed) await deploySafe(context, entry, key)
  const readNonce = () =>
    client.readContract({ address: safeAddress, abi: safeAbi, functionName: 'nonce' })
  // Your node may not have the relayer's deployment yet, after which the nonce is zero.
  const nonce = isDeployed ? await withChainErrors(readNonce) : 0n
  const calls = moved.map(({ token, amount }) => transferCall(token, to, amount))
  const transaction = asSafeTransaction(calls, nonce, multiSendCallOnly)
  const hash = safeTransactionHash({ chainId, safeAddress }, transaction)
  const signature = await privateKeyToAccount(key).sign({ hash })
  const request = { ...transaction, safeAddress, chainId, signature }
  const txHash = await context.relayer.relayProxy(request)
  await requireExecuted(client, { safeAddress, safeTxHash: hash, txHash, after, to, moved })
  return { entry, moved, left, txHash, error: null }
}

/** @throws CairnError `INVALID_REQUEST` for an entry with an address that isn't one */
function requireAddresses({ address, safeAddress, balances }: StealthEntry): void {
  requireAddress(address, 'entries.address')
  requireAddress(safeAddress, 'entries.safeAddress')
  for (const { token } of balances) requireAddress(token, 'entries.balances.token')
}

type Held = { token: Address; amount: bigint; isMovable: boolean }

/**
 * What a Safe holds, by the chain. Each transfer is simulated by itself: a token that refuses, or is broken, mustn't hold back
 * the others. Unlisted tokens may be anyone's, and cost more to move than they are worth.
 */
async function readHoldings(
  client: ChainClient,
  { safeAddress, balances }: StealthEntry,
  to: Address,
): Promise<Pick<SweptSafe, 'moved' | 'left'>> {
  // Each token once: a relayer could list one twice, to have its transfer counted twice.
  const listed = new Map(
    balances
      .filter(({ isListed }) => isListed)
      .map((one) => [one.token.toLowerCase(), one] as const),
  )
  const held = await Promise.all(
    [...listed.values()].map(async ({ token, balance }): Promise<Held> => {
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
    if (isRevert || isUndecodable(error)) return null
    throw error
  })
}

function requireChain({ chains }: SweepContext, chainId: number) {
  const { publicClient: client, multiSendCallOnly } =
    chains.find((chain) => chain.chainId === chainId) ?? {}
  if (client !== undefined) return { client, multiSendCallOnly }
  throw invalidArgument('chains', `a publicClient for chain ${chainId}`)
}

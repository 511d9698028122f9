import { bridgeIntentV2Abi } from '../../core/abi/sdkBridgeIntentV2.ts'
import { CairnError } from '../errors/cairnError.ts'
import { invalidArgument } from '../errors/invalidArgument.ts'
import { readBridge } from '../errors/toCairnError.ts'
import type { ChainClient } from './clientOptions.ts'
import { findOutputProblem, readTokenUnit } from './findOutputProblem.ts'
import type { IntentRequest } from './intentRequest.ts'
import type { IntentChains } from './validateIntent.ts'

/** The auction duration passed to the contract, in seconds. */
export type CheckedTerms = { auctionDuration: bigint }

/**
 * Checks against the contracts before anything is approved: tokens, destination, amounts and the minimum auction duration.
 *
 * @param clock unix seconds; a node whose latest block is older doesn't make the auction longer
 * @throws CairnError
 */
export async function checkIntentAgainstBridge(
  intent: IntentRequest,
  { source, destination }: IntentChains,
  clock: number,
): Promise<CheckedTerms> {
  const client = source.publicClient
  if (client === undefined) throw invalidArgument('chains', `a publicClient for ${source.name}`)
  const bridge = { address: source.bridge, abi: bridgeIntentV2Abi } as const
  const [listing, isListed, shortest, { timestamp }] = await readBridge(source, () =>
    Promise.all([
      client.readContract({ ...bridge, functionName: 'tokenListing', args: [intent.tokenIn] }),
      client.readContract({
        ...bridge,
        functionName: 'isDestinationListed',
        args: [BigInt(destination.chainId)],
      }),
      client.readContract({ ...bridge, functionName: 'MIN_AUCTION_DURATION' }),
      client.getBlock(),
    ]),
  )
  checkListing(intent, source.name, listing)
  if (!isListed) {
    const words = `the bridge on ${source.name} doesn’t deliver to ${destination.name}: choose another`
    throw new CairnError('UNSUPPORTED_CHAIN', words, { details: { field: 'destChain' } })
  }
  await checkOutput(intent, client, destination)
  const now = Math.max(Number(timestamp), Math.floor(clock))
  return { auctionDuration: computeDuration(intent.deadline, now, shortest) }
}

function checkListing(
  { tokenIn, amountIn, reward }: IntentRequest,
  chain: string,
  [isListed, minimum, maximum]: readonly [boolean, bigint, bigint, number],
): void {
  if (!isListed) {
    throw new CairnError('UNSUPPORTED_ASSET', `${tokenIn} is not supported on ${chain}`, {
      details: { field: 'tokenIn' },
    })
  }
  const escrow = amountIn + reward
  const details = { field: 'amountIn', escrow, minimum, maximum }
  if (escrow < minimum) {
    const words = `amountIn and reward add up to ${escrow}, below the minimum of ${minimum}`
    throw new CairnError('AMOUNT_BELOW_MINIMUM', words, { details })
  }
  if (escrow > maximum) {
    const words = `amountIn and reward add up to ${escrow}, above the maximum of ${maximum}`
    throw new CairnError('AMOUNT_ABOVE_MAXIMUM', words, { details })
  }
}

/**
 * Checks that the destination's bridge lists tokenOut and, if it is the same asset as tokenIn, that no more is requested
 * than offered, and no less than half.
 */
async function checkOutput(
  { tokenIn, tokenOut, amountIn, minAmountOut }: IntentRequest,
  source: ChainClient,
  destination: IntentChains['destination'],
): Promise<void> {
  const { publicClient: client, bridge, name } = destination
  if (client === undefined) return
  const [isListed] = await readBridge(destination, () =>
    client.readContract({
      address: bridge,
      abi: bridgeIntentV2Abi,
      functionName: 'tokenListing',
      args: [tokenOut],
    }),
  )
  if (!isListed) {
    throw new CairnError('UNSUPPORTED_ASSET', `${tokenOut} is not supported on ${name}`, {
      details: { field: 'tokenOut' },
    })
  }
  const [offered, requested] = await Promise.all([
    readTokenUnit(source, tokenIn),
    readTokenUnit(client, tokenOut),
  ]).catch(() => [])
  // A token may have no symbol.
  if (!offered || !requested) return
  const given = { ...offered, base: amountIn }
  if (findOutputProblem(given, { ...requested, base: minAmountOut }) === null) return
  const words = `minAmountOut must be half to all of amountIn: both are in ${offered.symbol}`
  throw new CairnError('MIN_OUTPUT_INVALID', words, { details: { field: 'minAmountOut' } })
}

function computeDuration(deadline: number, now: number, shortest: number): bigint {
  const left = Math.floor(deadline) - now
  if (left >= shortest) return BigInt(left)
  const words = `the deadline leaves ${left} seconds, but an auction lasts at least ${shortest}`
  throw new CairnError('INTENT_DEADLINE_PAST', words, { details: { deadline, shortest } })
}

import type { BridgeDetail } from '../../../services/store/chains/listBridges.ts'
import type { Pair } from '../../../services/store/pairs/pairFilter.ts'
import { BadRequestError, UnavailableError } from '../../http/apiError.ts'
import type { ReadContext } from '../readContext.ts'

/** Seconds after which to retry while a bridge is paused. */
const PAUSE_RETRY = 60

/**
 * Refuses a pair on which no intent can be created, and an escrow outside of the token's limits.
 *
 * @param escrow amountA and reward, base units of tokenA
 * @throws BadRequestError, UnavailableError
 */
export function requireQuotablePair(
  bridges: readonly BridgeDetail[],
  { configured }: ReadContext,
  { sourceChainId, destChainId, tokenA, tokenB }: Pair,
  escrow: bigint,
): void {
  const bridgeOn = (field: string, chainId: number) => {
    const bridge = bridges.find((one) => one.chainId === chainId)
    const isFollowed = configured.some((one) => one.chainId === chainId)
    if (bridge !== undefined && isFollowed) return bridge
    throw unsupportedChain(field, `chain ${chainId} is not served here`)
  }
  const source = bridgeOn('sourceChain', sourceChainId)
  const destination = bridgeOn('destChain', destChainId)
  const isPaid = source.destinations.some((one) => one.destChainId === destChainId && one.listed)
  if (!isPaid) {
    throw unsupportedChain(
      'destChain',
      `the bridge on ${sourceChainId} doesn’t support this destination`,
    )
  }
  const listing = source.tokens.find(({ token, listed }) => token === tokenA && listed)
  if (listing === undefined) throw unsupportedAsset('tokenA')
  const isListedThere = destination.tokens.some(({ token, listed }) => token === tokenB && listed)
  if (!isListedThere) throw unsupportedAsset('tokenB')
  checkEscrow(escrow, listing)
  if (source.creationPaused) {
    const words = 'the bridge accepts no new intents at the moment'
    throw new UnavailableError(words, 'CREATION_PAUSED', PAUSE_RETRY)
  }
}

function checkEscrow(
  escrow: bigint,
  { minAmount, maxAmount }: { minAmount: bigint; maxAmount: bigint },
): void {
  const details = { field: 'amountA', minimum: String(minAmount), maximum: String(maxAmount) }
  if (escrow < minAmount) {
    const words = `amountA and reward are ${escrow} together; the minimum is ${minAmount}`
    throw new BadRequestError(words, 'AMOUNT_BELOW_MINIMUM', details)
  }
  if (escrow > maxAmount) {
    const words = `amountA and reward are ${escrow} together; the maximum is ${maxAmount}`
    throw new BadRequestError(words, 'AMOUNT_ABOVE_MAXIMUM', details)
  }
}

function unsupportedChain(field: string, reason: string): BadRequestError {
  const words = `${reason}: GET /get-routes lists the supported pairs`
  return new BadRequestError(words, 'UNSUPPORTED_CHAIN', { field })
}

function unsupportedAsset(field: string): BadRequestError {
  const words = `${field} is not a token that the bridge accepts: GET /tokens lists those`
  return new BadRequestError(words, 'UNSUPPORTED_ASSET', { field })
}

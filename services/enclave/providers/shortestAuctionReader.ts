import { encodeFunctionData } from 'viem'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { EnclaveChain } from '../enclaveChain.ts'
import { requestFromProvider } from './requestFromProvider.ts'
import { type Disagreement, requireAgreement } from './requireAgreement.ts'

/**
 * The shortest auction that a chain's bridge accepts, in seconds.
 *
 * @throws EnclaveError `PROVIDERS_UNREACHABLE` or `BLOCK_NOT_AGREED`
 */
export type ShortestAuction = (chain: EnclaveChain) => Promise<number>

/** Asks the chains' own providers. A bridge never changes this value, so it is cached once they agree. */
export function createShortestAuctionReader(
  onDisagreement: (disagreement: Disagreement) => void = () => {},
): ShortestAuction {
  const known = new Map<number, Promise<number>>()
  return (chain) => {
    const { chainId, bridge } = chain
    const before = known.get(chainId)
    if (before !== undefined) return before
    const about = 'the shortest auction'
    const asked = requireAgreement(
      chain,
      about,
      ({ url }) => requestShortestAuction(url, bridge),
      String,
      onDisagreement,
    )
    known.set(chainId, asked)
    asked.catch(() => known.delete(chainId))
    return asked
  }
}

async function requestShortestAuction(url: string, bridge: Hex): Promise<number | null> {
  const data = encodeFunctionData({ abi: bridgeIntentV2Abi, functionName: 'MIN_AUCTION_DURATION' })
  const answer = await requestFromProvider(url, 'eth_call', [{ to: bridge, data }, 'latest'])
  const isWord = typeof answer === 'string' && /^0x0{56}[0-9a-fA-F]{8}$/.test(answer)
  return isWord ? Number(answer) : null
}

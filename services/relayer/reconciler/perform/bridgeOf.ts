import type { Hex } from '../../../../src/event/bridgeEvent.ts'
import type { Reactor } from '../reactor.ts'

/** The bridge of a chain by the configuration, lower case. */
export function bridgeOf({ configured }: Pick<Reactor, 'configured'>, chainId: number): Hex {
  const chain = configured.get(chainId)
  if (!chain) throw new Error(`chain ${chainId} is not configured`)
  return chain.bridge.toLowerCase() as Hex
}

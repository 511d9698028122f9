import { findSafeContracts, type SafeContracts } from '../../core/safe/safeContracts.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import { countRequiredWitnesses } from '../chain/countRequiredWitnesses.ts'
import { type ChainConfig, countOperators, operatorOf } from '../config/chainConfig.ts'

/** Whether the sender must sign recipients, and a wallet must freshly sign for its keys. */
export type Mode = 'strict' | 'compat'

/** A JSON-RPC endpoint that votes on the chain's blocks. */
export type Provider = {
  /** May contain a key, so it is neither measured nor logged. */
  url: string
  /** Host and port, which are measured; an address without TLS includes its scheme, such as `http://localhost:8545`. */
  host: string
  /** Its operator, who has one vote regardless of the number of endpoints. */
  operator: string
}

/** A chain in the enclave's own configuration, which no caller can change. */
export type EnclaveChain = {
  chainId: number
  /** `BridgeIntentV2`, lower case. */
  bridge: Hex
  /** Hash of its code; if absent, any code is accepted, which only development chains allow. */
  bridgeCodeHash?: Hex | undefined
  /** `EnclaveKeyRegistry`, lower case. */
  registry?: Hex | undefined
  /** `OrderVault`, lower case; undefined without scheduled orders. */
  vault?: Hex | undefined
  providers: readonly Provider[]
  /** Operators that must agree on a block. */
  agreeing: number
  mode: Mode
  /** Confirmations before the enclave reveals or attests anything in a block. */
  confirmations: number
  /** Tokens that need more confirmations from an amount on. */
  tokens?: ChainConfig['tokens']
  /** Maximum cost of one transaction's gas, in wei. */
  maxTransactionCost: bigint
  /** Addresses of Safe 1.4.1. */
  safe: SafeContracts
}

/** 5 of the chain's coin: far above the price of any call so far. */
const DEFAULT_MAX_COST = 5n * 10n ** 18n

/** The enclave's view of configured chains. `mode` applies to chains without one of their own. */
export function toEnclaveChains(
  chains: readonly ChainConfig[],
  mode: Mode = 'strict',
): EnclaveChain[] {
  return chains.map((chain) => {
    const providers = chain.rpcUrls.map((url) => toProvider(url, operatorOf(chain, url)))
    return {
      chainId: chain.chainId,
      bridge: chain.bridge.toLowerCase() as Hex,
      bridgeCodeHash: chain.bridgeCodeHash?.toLowerCase() as Hex | undefined,
      registry: chain.registry?.toLowerCase() as Hex | undefined,
      vault: chain.vault?.toLowerCase() as Hex | undefined,
      providers,
      agreeing: chain.agreeingWitnesses ?? countRequiredWitnesses(countOperators(chain)),
      mode: chain.mode ?? mode,
      confirmations: chain.confirmations,
      tokens: chain.tokens,
      maxTransactionCost: DEFAULT_MAX_COST,
      safe: findSafeContracts(chain.chainId, chain.safe),
    }
  })
}

/** Without TLS, anyone on the network path can answer in the host's name, so the measurement must show it. */
function toProvider(url: string, operator: string): Provider {
  const { host, origin, protocol } = new URL(url)
  return { url, host: protocol === 'https:' ? host : origin, operator }
}

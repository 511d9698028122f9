import { findSafeContracts, type SafeContracts } from '../../core/safe/safeContracts.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import { agreementThreshold } from '../chain/agreementThreshold.ts'
import { type ChainConfig, countOperators, operatorOf } from '../config/chainConfig.ts'

/** Whether the sender must sign for recipients, and a wallet freshly for its keys. */
export type Mode = 'strict' | 'compat'

/** A JSON-RPC endpoint that is asked which block is the chain's. */
export type Provider = {
  /** May contain a key, so it is neither measured nor logged. */
  url: string
  /** Host and port, which are measured; an address without TLS shows its scheme, such as `http://localhost:8545`. */
  host: string
  /** Who runs it: an operator counts once, however many endpoints it has. */
  operator: string
}

/** What the enclave's own configuration says of a chain, independent of any caller. */
export type EnclaveChain = {
  chainId: number
  /** `BridgeIntentV2`, lower case. */
  bridge: Hex
  /** Hash of its code; without it any code is taken, which only development chains may do. */
  bridgeCodeHash?: Hex | undefined
  /** `EnclaveKeyRegistry`, lower case. */
  registry?: Hex | undefined
  /** `OrderVault`, lower case; undefined where there are no scheduled orders. */
  vault?: Hex | undefined
  providers: readonly Provider[]
  /** Operators that must agree on a block. */
  agreeing: number
  mode: Mode
  /** Blocks on top of a block before the enclave reveals or attests anything in it. */
  confirmations: number
  /** Tokens that ask for more blocks from an amount on. */
  tokens?: ChainConfig['tokens']
  /** The most that one transaction's gas may cost, in wei. */
  maxTransactionCost: bigint
  /** Where Safe 1.4.1 is. */
  safe: SafeContracts
}

/** 5 of the chain's coin: far more than any call was ever worth. */
const DEFAULT_MAX_COST = 5n * 10n ** 18n

/** The enclave's view of configured chains. `mode` is of those that name none of their own. */
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
      agreeing: chain.agreeingWitnesses ?? agreementThreshold(countOperators(chain)),
      mode: chain.mode ?? mode,
      confirmations: chain.confirmations,
      tokens: chain.tokens,
      maxTransactionCost: DEFAULT_MAX_COST,
      safe: findSafeContracts(chain.chainId, chain.safe),
    }
  })
}

/** Without TLS, whoever runs the network between can answer in the host's name, so the measurement must show it. */
function toProvider(url: string, operator: string): Provider {
  const { host, origin, protocol } = new URL(url)
  return { url, host: protocol === 'https:' ? host : origin, operator }
}

import { type SafeContracts, safeContractsOf } from '../../core/safe/safeContracts.ts'
import type { Hex } from '../../src/event/bridgeEvent.ts'
import type { ChainConfig } from '../config/chains.ts'

/** What the enclave knows of a chain by its own configuration, whatever a caller says. */
export type EnclaveChain = {
  chainId: number
  /** `BridgeIntentV2`, lower case. */
  bridge: Hex
  /** `EnclaveKeyRegistry`, lower case. */
  registry?: Hex | undefined
  /** JSON-RPC endpoints that are asked which block is canonical. */
  witnesses: readonly string[]
  /** How many of them must answer, all the same. Default: most of them, two at least. */
  agreeing?: number | undefined
  /** Blocks on top of a block before anything in it is attested. */
  confirmations: number
  /** Tokens that ask for more blocks from an amount on. */
  tokens?: ChainConfig['tokens']
  /** What one transaction may cost in gas at most, in wei. */
  maxTransactionCost: bigint
  /** Where Safe 1.4.1 is; default: the canonical addresses. */
  safe?: SafeContracts
}

/** 5 of the chain's own coin: far above any price that was ever worth paying for one call. */
const DEFAULT_MAX_COST = 5n * 10n ** 18n

/** The enclave's view of configured chains: every endpoint is a witness. */
export function enclaveChains(chains: readonly ChainConfig[]): EnclaveChain[] {
  return chains.map((chain) => ({
    chainId: chain.chainId,
    bridge: chain.bridge.toLowerCase() as Hex,
    registry: chain.registry?.toLowerCase() as Hex | undefined,
    witnesses: chain.rpcUrls,
    agreeing: chain.agreeingWitnesses,
    confirmations: chain.confirmations,
    tokens: chain.tokens,
    maxTransactionCost: DEFAULT_MAX_COST,
    safe: safeContractsOf(chain.chainId, chain.safe),
  }))
}

import { concat, keccak256, stringToBytes, toHex } from 'viem'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { EnclaveChain } from '../enclaveChain.ts'

/** The measured part of an enclave's configuration, and its digest. */
export type MeasuredConfiguration = { text: string; digest: Hex }

/**
 * The configuration that decides what an enclave trusts, as its one canonical text: chains, contracts, providers by
 * host and operator, required agreement, depths, mode. Keys to providers aren't in it.
 */
export function measureConfiguration(chains: readonly EnclaveChain[]): MeasuredConfiguration {
  const measured = chains
    .toSorted((a, b) => a.chainId - b.chainId)
    .map(
      ({ chainId, bridge, bridgeCodeHash, registry, mode, agreeing, confirmations, ...more }) => ({
        chainId,
        mode,
        bridge,
        bridgeCodeHash: bridgeCodeHash ?? null,
        registry: registry ?? null,
        vault: more.vault ?? null,
        agreeing,
        providers: more.providers
          .map(({ host, operator }) => ({ host, operator }))
          .toSorted((a, b) => compare(`${a.operator} ${a.host}`, `${b.operator} ${b.host}`)),
        confirmations,
        deeper: Object.values(more.tokens ?? {})
          .map((token) => ({
            token: token.address.toLowerCase(),
            from: (token.confirmations ?? []).map(({ from, blocks }) => ({ amount: from, blocks })),
          }))
          .toSorted((a, b) => compare(a.token, b.token)),
        safe: more.safe,
      }),
    )
  const text = JSON.stringify({ version: 1, chains: measured })
  return { text, digest: keccak256(stringToBytes(text)) }
}

/** The measurement in development, where no hardware takes one: the configuration's. */
export function measureForDevelopment(chains: readonly EnclaveChain[]): Hex {
  const { digest } = measureConfiguration(chains)
  return keccak256(concat([toHex('cairn development enclave'), digest]))
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}

import type { Hex } from '../../src/event/bridgeEvent.ts'

/** Addresses of the Safe 1.4.1 contracts on a chain, in lower case. */
export type SafeContracts = {
  /** The singleton that every Safe we issue delegates to. */
  singleton: Hex
  proxyFactory: Hex
  fallbackHandler: Hex
  /** The only contract that the relayer lets a Safe delegate-call. */
  multiSendCallOnly: Hex
}

/** Contracts that a chain has at other than the canonical addresses. */
export type NamedSafeContracts = { [Name in keyof SafeContracts]?: Hex | undefined }

/** The addresses of the Safe project's own deployments, the same on every chain that has them. */
const CANONICAL = {
  singletonL2: '0x29fcb43b46531bca003ddc8fcb67ffe91900c762',
  singletonL1: '0x41675c099f32341bf84bfc5382af534df5c7461a',
  proxyFactory: '0x4e1dcf7ad4e460cfd30791ccc4f9c8a4f820ec67',
  fallbackHandler: '0xfd0732dc9e303f09fcef3a7388ad10a83459ec99',
  multiSendCallOnly: '0x9641d764fc13c8b624c04430c7356c1c7c8102e2',
} as const

/** Chains whose Safes use the singleton that emits no event per transaction. */
const L1_CHAINS = new Set([1])

/**
 * The Safe contracts that a chain's deliveries use: the configured ones, and otherwise the canonical ones.
 *
 * @param named the configured ones, for a chain without canonical deployments
 */
export function findSafeContracts(chainId: number, named: NamedSafeContracts = {}): SafeContracts {
  const { singletonL1, singletonL2, ...shared } = CANONICAL
  const singleton = L1_CHAINS.has(chainId) ? singletonL1 : singletonL2
  const given = Object.entries(named).map(([name, address]) => [name, address?.toLowerCase()])
  return { singleton, ...shared, ...Object.fromEntries(given.filter(([, address]) => address)) }
}

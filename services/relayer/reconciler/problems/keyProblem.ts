import { type Address, type Hex, zeroAddress } from 'viem'
import { enclaveKeyRegistryAbi } from '../../../../core/abi/enclaveKeyRegistry.ts'
import type { ChainConfig } from '../../../config/chains.ts'
import type { RelayerProblem } from './problem.ts'

/** A registry's record of an enclave's key, at one block. Times are unix seconds, 0: never. */
export type KeyState = {
  operator: Address
  activation: number
  expiry: number
  revocation: number
  isActive: boolean
  /** The block's. */
  now: number
}

/** What reading a registry takes. */
type Reads = {
  readContract(call: never): Promise<unknown>
  getBlock(): Promise<{ timestamp: bigint }>
}

/** Reads it from a chain's own nodes. */
export async function readKeyState(
  client: Reads,
  registry: Address,
  signer: Address,
): Promise<KeyState> {
  const ask = (functionName: 'keyOf' | 'isActive') =>
    client.readContract({
      ...{ address: registry, abi: enclaveKeyRegistryAbi },
      ...{ functionName, args: [signer] },
    } as never)
  const [key, isActive, { timestamp }] = await Promise.all([
    ask('keyOf') as Promise<Omit<KeyState, 'isActive' | 'now'>>,
    ask('isActive') as Promise<boolean>,
    client.getBlock(),
  ])
  const { operator, activation, expiry, revocation } = key
  return { operator, activation, expiry, revocation, isActive, now: Number(timestamp) }
}

/** Whether the enclave's signatures don't count on a chain, and why. */
export function keyProblem(
  { chainId, name }: Pick<ChainConfig, 'chainId' | 'name'>,
  signer: Hex,
  state: KeyState,
): RelayerProblem | null {
  if (state.isActive) return null
  if (state.operator === zeroAddress) {
    return {
      ...{ chainId, code: 'KEY_NOT_REGISTERED' },
      cause: `the enclave’s key ${signer} is not in the EnclaveKeyRegistry of ${name}: nothing that it signs is taken`,
      fix: `register it there (docs/enclave.md#keys); it counts once the activation delay is over`,
    }
  }
  return { ...{ chainId, code: 'KEY_NOT_ACTIVE' }, ...whyNotActive(name, signer, state) }
}

function whyNotActive(
  name: string,
  signer: Hex,
  { activation, expiry, revocation, now }: KeyState,
): Pick<RelayerProblem, 'cause' | 'fix'> {
  const key = `the enclave’s key ${signer}`
  const anew =
    'make a new key and register it (npm run enclave -- prepare-attester, promote-attester): an ended one can’t come back'
  if (revocation !== 0 && revocation <= now)
    return { cause: `${key} was revoked on ${name} at ${timeOf(revocation)}`, fix: anew }
  if (expiry <= now) return { cause: `${key} expired on ${name} at ${timeOf(expiry)}`, fix: anew }
  if (activation > now)
    return {
      cause: `${key} counts on ${name} from ${timeOf(activation)} on`,
      fix: 'wait: this ends by itself',
    }
  return {
    cause: `the operator or the measurement of ${key} was removed on ${name}`,
    fix: 'ask the registry’s owner which; a key of a listed operator and measurement has to be registered',
  }
}

function timeOf(seconds: number): string {
  return new Date(seconds * 1_000).toISOString()
}

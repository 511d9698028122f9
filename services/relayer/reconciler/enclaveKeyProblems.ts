import { type Address, zeroAddress } from 'viem'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { ChainConfig } from '../../config/chainConfig.ts'
import type { RelayerProblem } from './relayerProblem.ts'

/** A registry's record of an enclave key at one block. Times are unix seconds; 0: never. */
export type KeyState = {
  operator: Address
  activation: number
  expiry: number
  revocation: number
  isActive: boolean
  /** The block's time. */
  now: number
}

/** The ECIES key with which an attestation key was registered: 65 bytes. */
export type RegisteredSealingKey = { eciesKey: Hex }

/**
 * Whether no active key of a registry was registered with the ECIES key that senders are given, as after a rotation of
 * the root: those who check it send nothing.
 *
 * @param states of the enclaves' attestation keys; null if one can't be read
 */
export function findSealingKeyProblem(
  { chainId, name }: Pick<ChainConfig, 'chainId' | 'name'>,
  eciesPublicKey: Hex,
  states: readonly (Pick<KeyState & RegisteredSealingKey, 'isActive' | 'eciesKey'> | null)[],
): RelayerProblem | null {
  const active = states.filter((state) => state?.isActive)
  const isRegistered = active.some((state) => state?.eciesKey === eciesPublicKey)
  if (active.length === 0 || isRegistered) return null
  const code = 'SEALING_KEY_UNREGISTERED'
  const unread = states.filter((state) => state === null).length
  if (unread > 0)
    return {
      chainId,
      code,
      cause: `${unread} of ${states.length} enclaves can’t be asked for their keys, and no other enclave’s key on ${name} was registered with the current root’s ECIES key: unless one of theirs was, senders who check the registry, as the SDK does, send no recipients`,
      fix: 'make every socket of ENCLAVE_SOCKETS answer: then this problem clears, or says what to do',
    }
  return {
    chainId,
    code,
    cause: `no enclave’s key on ${name} was registered with the current root’s ECIES key: senders who check the registry, as the SDK does, send no recipients`,
    fix: 'make another attestation key (npm run enclave -- prepare-attester), register it (docs/enclave.md#registration), and promote-attester once it counts',
  }
}

/** Seconds before its expiry from which a key is reported: a new measurement takes four days to count. */
const RENEWAL_TIME = 7 * 86_400

/** Whether a key's signatures don't count on a chain, or soon won't, and why. */
export function findKeyProblem(
  { chainId, name }: Pick<ChainConfig, 'chainId' | 'name'>,
  signer: Hex,
  state: KeyState,
): RelayerProblem | null {
  if (state.isActive) return findExpiryProblem({ chainId, name }, signer, state)
  if (state.operator === zeroAddress) {
    return {
      chainId,
      code: 'KEY_NOT_REGISTERED',
      cause: `the enclave’s key ${signer} is not in the EnclaveKeyRegistry of ${name}: contracts reject everything that it signs`,
      fix: `register it there (docs/enclave.md#registration); it counts once the activation delay is over`,
    }
  }
  return { chainId, code: 'KEY_NOT_ACTIVE', ...whyNotActive(name, signer, state) }
}

/** Whether a key expires soon. In registries where keys live less than four weeks: in the last quarter of its life. */
function findExpiryProblem(
  { chainId, name }: Pick<ChainConfig, 'chainId' | 'name'>,
  signer: Hex,
  { activation, expiry, now }: KeyState,
): RelayerProblem | null {
  if (expiry - now > Math.min(RENEWAL_TIME, (expiry - activation) / 4)) return null
  return {
    chainId,
    code: 'KEY_EXPIRES',
    cause: `the enclave’s key ${signer} expires on ${name} at ${timeOf(expiry)}: contracts then reject what it signs for new intents`,
    fix: 'renew it: register it there again (docs/enclave.md#registration)',
  }
}

function whyNotActive(
  name: string,
  signer: Hex,
  { activation, expiry, revocation, now }: KeyState,
): Pick<RelayerProblem, 'cause' | 'fix'> {
  const key = `the enclave’s key ${signer}`
  const anew =
    'make a new key (npm run enclave -- prepare-attester), register it (docs/enclave.md#registration), and promote-attester once it counts: an expired or revoked key can’t be registered again'
  if (revocation !== 0 && revocation <= now)
    return { cause: `${key} was revoked on ${name} at ${timeOf(revocation)}`, fix: anew }
  if (expiry <= now) return { cause: `${key} expired on ${name} at ${timeOf(expiry)}`, fix: anew }
  if (activation > now)
    return {
      cause: `${key} counts on ${name} from ${timeOf(activation)} on`,
      fix: 'wait: nothing needs to be done',
    }
  return {
    cause: `the operator or the measurement of ${key} was removed on ${name}`,
    fix: 'ask the registry’s owner which, then register a key with a listed operator and measurement',
  }
}

function timeOf(seconds: number): string {
  return new Date(seconds * 1_000).toISOString()
}

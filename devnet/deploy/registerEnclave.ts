import { type Address, encodeFunctionData, type Hex, keccak256, parseEventLogs } from 'viem'
import { enclaveKeyRegistryAbi } from '../../core/abi/enclaveKeyRegistry.ts'
import {
  type EnclaveRegistration,
  enclaveRegistrationTypedData,
} from '../../sdk/messages/enclaveRegistration.ts'
import type { AccountSender } from '../../services/chain/accountSender.ts'
import type { DevnetAccount } from '../accounts.ts'
import type { DevnetClient } from '../devnetClient.ts'

/** An enclave as the registry sees it. */
export type EnclaveToRegister = {
  /** Its attestation key. */
  signer: Address
  /** 65 bytes, uncompressed. */
  eciesKey: Hex
  /** Evidence for its keys, bound to a registry's challenge. */
  quote(request: { chainId: number; registry: Address; challenge: Hex }): Promise<Hex>
  /** Its attestation key's signature over the registration (EIP-712). */
  provePossession(
    registration: EnclaveRegistration & { chainId: number; registry: Address },
  ): Promise<Hex>
}

const HOUR = 3_600n

/**
 * Registers an enclave's key under an operator, unless it is registered: requests a challenge, has the enclave answer it,
 * and sends both signatures.
 *
 * @param payer any account with gas for two transactions
 */
export async function registerEnclave(
  client: DevnetClient,
  payer: AccountSender,
  registry: Address,
  enclave: EnclaveToRegister,
  operator: DevnetAccount,
): Promise<void> {
  const { signer, eciesKey } = enclave
  const contract = { address: registry, abi: enclaveKeyRegistryAbi } as const
  const isKnown = await client.readContract({
    ...contract,
    functionName: 'isActive',
    args: [signer],
  })
  if (isKnown) return
  const challenge = await newChallenge(payer, registry)
  const at = { chainId: client.chain.id, registry }
  const evidence = await enclave.quote({ ...at, challenge })
  const { timestamp } = await client.getBlock()
  const registration: EnclaveRegistration = {
    signer,
    eciesKey,
    operator: operator.address,
    challenge,
    evidenceHash: keccak256(evidence),
    deadline: timestamp + HOUR,
  }
  const [possession, consent] = await Promise.all([
    enclave.provePossession({ ...registration, ...at }),
    operator.signTypedData(enclaveRegistrationTypedData(at, registration)),
  ])
  const { deadline } = registration
  const data = encodeFunctionData({
    abi: enclaveKeyRegistryAbi,
    functionName: 'register',
    args: [signer, eciesKey, operator.address, evidence, challenge, deadline, possession, consent],
  })
  await payer.execute({ to: registry, data })
}

async function newChallenge(payer: AccountSender, registry: Address): Promise<Hex> {
  const data = encodeFunctionData({ abi: enclaveKeyRegistryAbi, functionName: 'newChallenge' })
  // Two callers in one block get different challenges, at different gas costs.
  const { logs } = await payer.execute({ to: registry, data, gas: 150_000n })
  const [issued] = parseEventLogs({
    abi: enclaveKeyRegistryAbi,
    logs,
    eventName: 'ChallengeIssued',
  })
  if (!issued) throw new Error('the registry issued no challenge')
  return issued.args.challenge
}

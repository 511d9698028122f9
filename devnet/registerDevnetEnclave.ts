import { encodeFunctionData, getAddress, type Hex } from 'viem'
import { enclaveKeyRegistryAbi } from '../core/abi/enclaveKeyRegistry.ts'
import { createAccountSender } from '../services/chain/accountSender.ts'
import type { ChainConfig } from '../services/config/chainConfig.ts'
import { measureForDevelopment } from '../services/enclave/attestation/measuredConfiguration.ts'
import { toEnclaveChains } from '../services/enclave/enclaveChain.ts'
import type { Enclave } from '../services/enclave/enclaveInterface.ts'
import type { DevnetAccounts } from './accounts.ts'
import type { DevnetContracts } from './deploy/devnetContracts.ts'
import { registerEnclave } from './deploy/registerEnclave.ts'
import type { DevnetClient } from './devnetClient.ts'

/** The devnet enclave's measurement; in development a hash of its configuration. */
export function devnetMeasurement(chains: readonly ChainConfig[]): Hex {
  return measureForDevelopment(toEnclaveChains(chains, 'compat'))
}

/**
 * Registers the enclave's attestation key under the first operator, as an operator would: with the enclave's evidence. If a
 * restarted devnet uses other ports, the enclave has another measurement, which is listed when needed.
 */
export async function registerDevnetEnclave(
  client: DevnetClient,
  { registry, verifier }: DevnetContracts,
  { operators, deployer }: DevnetAccounts,
  enclave: Pick<Enclave, 'publicKeys' | 'quote' | 'provePossession'>,
  measurement: Hex,
): Promise<void> {
  const { attester, eciesPublicKey: eciesKey } = await enclave.publicKeys()
  const contract = { address: registry, abi: enclaveKeyRegistryAbi } as const
  const isKnown = await client.readContract({
    ...contract,
    functionName: 'isActive',
    args: [attester],
  })
  if (isKnown) return
  const [countsFrom] = await client.readContract({
    ...contract,
    functionName: 'measurementOf',
    args: [measurement],
  })
  if (countsFrom === 0n) {
    const data = encodeFunctionData({
      abi: enclaveKeyRegistryAbi,
      functionName: 'allowMeasurement',
      args: [measurement],
    })
    await createAccountSender(client, deployer, 100).execute({ to: registry, data })
  }
  const toRegister = {
    signer: getAddress(attester),
    eciesKey,
    quote: async ({ chainId, challenge }: { chainId: number; challenge: Hex }) =>
      (await enclave.quote({ chainId, challenge, verifier })).evidence,
    provePossession: async (asked: Parameters<typeof enclave.provePossession>[0]) => {
      const { chainId, operator, evidenceHash, challenge, deadline } = asked
      const request = { chainId, operator, evidenceHash, challenge, deadline }
      return (await enclave.provePossession(request)).signature
    },
  }
  const [operator] = operators
  const payer = createAccountSender(client, operator, 100)
  await registerEnclave(client, payer, registry, toRegister, operator)
}

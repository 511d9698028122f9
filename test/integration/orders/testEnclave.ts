import { deriveDevnetAccounts } from '../../../devnet/accounts.ts'
import { MEASUREMENT } from '../../../devnet/deploy/devnetContracts.ts'
import type { ChainConfig } from '../../../services/config/chainConfig.ts'
import { createDevelopmentQuoter } from '../../../services/enclave/attestation/attestationQuoter.ts'
import { createEnclave, type EnclaveOptions } from '../../../services/enclave/createEnclave.ts'
import { type Mode, toEnclaveChains } from '../../../services/enclave/enclaveChain.ts'
import type { Enclave } from '../../../services/enclave/enclaveInterface.ts'

/** Known to everybody: it guards nothing. */
const TEST_ROOT = new Uint8Array(32).fill(0x5c)

/** An enclave whose evidence the devnet's registries believe. */
export function createTestEnclave(
  configs: readonly ChainConfig[],
  mode: Mode,
  more: Partial<EnclaveOptions> = {},
): Promise<Enclave> {
  return createEnclave({
    roots: [TEST_ROOT],
    chains: toEnclaveChains(configs, mode),
    quoter: createDevelopmentQuoter(MEASUREMENT, deriveDevnetAccounts().quoting.privateKey),
    ...more,
  })
}

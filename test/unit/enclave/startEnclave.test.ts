import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { chainsFileSchema } from '../../../services/config/chainConfig.ts'
import { readEnclaveConfiguration } from '../../../services/config/readEnclaveConfiguration.ts'
import { measureForDevelopment } from '../../../services/enclave/attestation/measuredConfiguration.ts'
import { toEnclaveChains } from '../../../services/enclave/enclaveChain.ts'
import { startEnclave } from '../../../services/enclave/startEnclave.ts'

test('an enclave that waits for a root keeps its own keys in their folder, and logs the measurement that registries must allow', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-start-enclave-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const { chains } = chainsFileSchema.parse({
    chains: [
      {
        ...{ name: 'base_sepolia', chainId: 84532, startBlock: 1, confirmations: 1 },
        ...{ bridge: `0x${'11'.repeat(20)}`, rpcUrls: ['http://127.0.0.1:1'] },
      },
    ],
  })
  const logged: object[] = []
  const file = join(directory, 'chains.json')
  writeFileSync(file, JSON.stringify({ chains }))
  const given = readEnclaveConfiguration({
    ENCLAVE_ROOT_FILE: join(directory, 'mounted', 'root'),
    ENCLAVE_KEY_FOLDER: join(directory, 'keys'),
    ENCLAVE_AWAITS_ROOT: '1',
    ...{ ENCLAVE_SOCKET: join(directory, 'socket'), CHAINS: file },
  })
  await startEnclave({
    ...given,
    log: { info: () => {}, warn: (values: object) => void logged.push(values), error: () => {} },
  })
  const measurement = measureForDevelopment(toEnclaveChains(chains, 'strict'))
  expect(logged[0]).toMatchObject({ measurement })
  expect(readdirSync(join(directory, 'keys'))).toEqual(['attester'])
  expect(readdirSync(directory)).not.toContain('mounted')
})

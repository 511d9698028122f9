import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Address, getAddress, type Hex } from 'viem'
import type { AccountSender } from '../../services/chain/accountSender.ts'
import type { DevnetClient } from '../devnetClient.ts'
import { CREATE2_DEPLOYER } from './create2.ts'
import { deployCreate2 } from './deployCreate2.ts'

/** The proxy through which the Safe project deploys; it has the usual proxy's code. */
const SAFE_SINGLETON_FACTORY: Address = '0x914d7Fec6aaC8cd542e72Bca78B30650d45643d7'

/** Safe 1.4.1 contracts: their addresses on public chains and their artifacts. */
export const SAFE_SUITE = {
  Safe: ['Safe.sol', '0x41675C099F32341bf84BFc5382aF534df5C7461a'],
  SafeL2: ['SafeL2.sol', '0x29fcB43b46531BcA003ddC8FCB67FFE91900C762'],
  SafeProxyFactory: ['proxies/SafeProxyFactory.sol', '0x4e1DCf7AD4e460CfD30791CCC4F9c8a4f820ec67'],
  CompatibilityFallbackHandler: [
    'handler/CompatibilityFallbackHandler.sol',
    '0xfd0732Dc9E303f09fCEf3a7388Ad10A83459Ec99',
  ],
  CreateCall: ['libraries/CreateCall.sol', '0x9b35Af71d77eaf8d7e40252370304687390A1A52'],
  MultiSend: ['libraries/MultiSend.sol', '0x38869bf66a61cF6bDB996A6aE40D5853Fd43B526'],
  MultiSendCallOnly: [
    'libraries/MultiSendCallOnly.sol',
    '0x9641d764fc13c8B624c04430C7356C1C7C8102e2',
  ],
  SignMessageLib: ['libraries/SignMessageLib.sol', '0xd53cd0aB83D845Ac265BE939c57F53AD838012c9'],
  SimulateTxAccessor: [
    'accessors/SimulateTxAccessor.sol',
    '0x3d4BA2E0884aa488718476ca2FB8Efc291A46199',
  ],
} as const satisfies Record<string, readonly [artifact: string, address: Address]>

/**
 * Deploys the Safe 1.4.1 contracts from the package's bytecode at their canonical addresses. Never sets code directly:
 * anyone could set up, and own, a singleton whose constructor hasn't run.
 */
export async function deploySafeSuite(client: DevnetClient, sender: AccountSender): Promise<void> {
  if (!(await client.getCode({ address: SAFE_SINGLETON_FACTORY }))) {
    const bytecode = await client.getCode({ address: CREATE2_DEPLOYER })
    if (!bytecode) throw new Error('this node lacks the CREATE2 deployer')
    await client.setCode({ address: SAFE_SINGLETON_FACTORY, bytecode })
  }
  const suite = Object.entries(SAFE_SUITE)
  const landed = await deployCreate2(
    client,
    sender,
    suite.map(([name, [artifact]]) => initcodeOf(name, artifact)),
    SAFE_SINGLETON_FACTORY,
  )
  for (const [position, [name, [, expected]]] of suite.entries()) {
    const at = landed[position]
    if (!at || getAddress(at) !== expected)
      throw new Error(`${name} landed at ${at}, not ${expected}`)
  }
}

function initcodeOf(name: string, artifact: string): Hex {
  const root = '@safe-global/safe-contracts/build/artifacts/contracts'
  const path = createRequire(import.meta.url).resolve(`${root}/${artifact}/${name}.json`)
  return (JSON.parse(readFileSync(path, 'utf8')) as { bytecode: Hex }).bytecode
}

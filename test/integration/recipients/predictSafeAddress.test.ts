import { predictSafeAddress, SafeProvider } from '@safe-global/protocol-kit'
import multiSendCallOnly from '@safe-global/safe-contracts/build/artifacts/contracts/libraries/MultiSendCallOnly.sol/MultiSendCallOnly.json' with {
  type: 'json',
}
import { encodeFunctionData, keccak256, parseAbi, toHex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningAnvil, startAnvil } from '../../../contracts/anvil/startAnvil.ts'
import { predictSafe } from '../../../core/safe/predictSafe.ts'
import { safeAbi, safeProxyFactoryAbi } from '../../../core/safe/safeAbi.ts'
import { findSafeContracts } from '../../../core/safe/safeContracts.ts'
import { PROXY_CODE_HASH, PROXY_CREATION_CODE } from '../../../core/safe/safeProxyCode.ts'
import { deriveDevnetAccounts } from '../../../devnet/accounts.ts'
import { deployMulticall } from '../../../devnet/deploy/deployMulticall.ts'
import { deploySafeSuite } from '../../../devnet/deploy/deploySafeSuite.ts'
import { createDevnetClient, type DevnetClient } from '../../../devnet/devnetClient.ts'
import { createAccountSender } from '../../../services/chain/accountSender.ts'

const OWNERS = Array.from({ length: 10 }, (_, at) =>
  privateKeyToAddress(keccak256(toHex(`owner ${at}`))),
)

let node: RunningAnvil
let client: DevnetClient
beforeAll(async () => {
  node = await startAnvil({ chainId: 84532, blockTime: 0 })
  client = createDevnetClient({ ...node, name: 'test' })
  await deployMulticall(client)
  await deploySafeSuite(client, createAccountSender(client, deriveDevnetAccounts().deployer, 100))
})
afterAll(() => node?.stop())

/** As Safe's own tools predict it, which ask the chain's contracts. */
async function predictedByOthers(owner: string, chainId: number): Promise<string> {
  const safeProvider = new SafeProvider({ provider: node.rpc })
  const address = await predictSafeAddress({
    safeProvider,
    chainId: BigInt(chainId),
    safeAccountConfig: { owners: [owner], threshold: 1 },
    safeDeploymentConfig: { safeVersion: '1.4.1' },
    // What its tools choose by themselves on the mainnet.
    isL1SafeSingleton: chainId === 1,
  })
  return address.toLowerCase()
}

test('a Safe’s predicted address is the one Safe’s own tools predict, on a rollup and on mainnet', async () => {
  for (const chainId of [84532, 1]) {
    for (const owner of OWNERS) {
      expect(predictSafe(owner, chainId).address).toBe(await predictedByOthers(owner, chainId))
    }
  }
})

test('the factory creates a Safe at the predicted address, with the expected code and owner', async () => {
  const contracts = findSafeContracts(84532)
  const code = await client.readContract({
    address: contracts.proxyFactory,
    abi: parseAbi(['function proxyCreationCode() pure returns (bytes)']),
    functionName: 'proxyCreationCode',
  })
  expect(code).toBe(PROXY_CREATION_CODE)
  const multiSend = await client.getCode({ address: contracts.multiSendCallOnly })
  expect(multiSend).toBe(multiSendCallOnly.deployedBytecode)

  const [owner] = OWNERS
  const { address, initializer, saltNonce } = predictSafe(owner!, 84532)
  const { request } = await client.simulateContract({
    account: deriveDevnetAccounts().deployer,
    address: contracts.proxyFactory,
    abi: safeProxyFactoryAbi,
    functionName: 'createProxyWithNonce',
    args: [contracts.singleton, initializer, saltNonce],
  })
  const sender = createAccountSender(client, deriveDevnetAccounts().deployer, 100)
  await sender.execute({ to: request.address, data: encodeFunctionData(request) })
  expect(keccak256((await client.getCode({ address })) ?? '0x')).toBe(PROXY_CODE_HASH)
  expect(await client.readContract({ address, abi: safeAbi, functionName: 'getOwners' })).toEqual([
    owner,
  ])
  expect(await client.getStorageAt({ address, slot: '0x0' })).toBe(
    `0x${contracts.singleton.slice(2).padStart(64, '0')}`,
  )
})

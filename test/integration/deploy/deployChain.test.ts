import {
  type Address,
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  type Hash,
  type Hex,
  keccak256,
  stringToHex,
  type Transaction,
  zeroAddress,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningAnvil, startAnvil } from '../../../contracts/anvil/startAnvil.ts'
import type { Artifacts } from '../../../contracts/artifacts.ts'
import { checkChainDeployment } from '../../../contracts/deploy/checkChainDeployment.ts'
import {
  CREATE3_FACTORY,
  create3Call,
  create3Salt,
  readCreate3Call,
} from '../../../contracts/deploy/create3.ts'
import { deployChain } from '../../../contracts/deploy/deployChain.ts'
import { createDeployClient } from '../../../contracts/deploy/deployClient.ts'
import { computeDeploymentAddresses } from '../../../contracts/deploy/deploymentAddresses.ts'
import {
  type DeployClient,
  type DeploymentSettings,
  FORFEIT_RECEIVER,
} from '../../../contracts/deploy/deploymentSettings.ts'
import { listDeploymentSteps, type Step } from '../../../contracts/deploy/listDeploymentSteps.ts'
import { type PlannedStep, previewDeployment } from '../../../contracts/deploy/previewDeployment.ts'
import { readCompiledContracts } from '../../run/compiledContracts.ts'

const deployer = privateKeyToAccount(
  '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80',
)
const quoting = privateKeyToAccount(keccak256(stringToHex('quoting')))
const CHAINS = [84532, 2651420]

let artifacts: Artifacts
let nodes: RunningAnvil[]
let clients: DeployClient[]
let tokens: Address[]

beforeAll(async () => {
  artifacts = await readCompiledContracts()
  nodes = await Promise.all(
    CHAINS.map((chainId) =>
      startAnvil({ chainId, blockTime: 0, extraArguments: ['--gas-limit', '100000000'] }),
    ),
  )
  clients = nodes.map(({ chainId, rpc }) => createDeployClient(chainId, rpc, deployer))
  tokens = await Promise.all(clients.map(deployToken))
})
afterAll(() => Promise.all(nodes.map((node) => node.stop())))

describe('a deployment', () => {
  it('is planned without changing anything', async () => {
    const client = clients[0]!
    const before = await client.getBlockNumber()
    const steps = await previewDeployment(client, deploymentOf(0), artifacts)
    expect(steps.every(({ toCreate }) => toCreate)).toBe(true)
    expect(steps.map(({ contract }) => contract)).toEqual([
      'Create3Factory',
      'DevelopmentAttestationVerifier',
      'EnclaveKeyRegistry',
      'OrderVault',
      'CreationGateway',
      'BridgeIntentV2',
    ])
    for (const { gas } of steps) expect(gas).toBeGreaterThan(100_000n)
    expect(await client.getBlockNumber()).toBe(before)
  })

  it('has the same addresses on every chain, though the arguments differ', async () => {
    const expected = computeDeploymentAddresses(deployer.address, 'test')
    for (const [position, client] of clients.entries()) {
      const deployment = deploymentOf(position)
      const planned = await previewDeployment(client, deployment, artifacts)
      const first = await deployChain(client, deployment, artifacts, { pollingInterval: 20 })
      expect(first).toMatchObject(expected)
      expect(first.created).toHaveLength(6)
      await expectGasAsPlanned(client, first.block, planned)
      const second = await deployChain(client, deployment, artifacts, { pollingInterval: 20 })
      expect(second.created).toEqual([])
      expect(await checkChainDeployment(client, deployment, artifacts)).toEqual([])
    }
  })

  it('is completed after an interruption, all at once on request', async () => {
    const client = clients[0]!
    const deployment = { ...deploymentOf(0), salt: 'cut short' }
    const addresses = computeDeploymentAddresses(deployer.address, 'cut short')
    const steps = listDeploymentSteps(deployment, artifacts)
    await send(client, steps[3]!.call)
    const options = { together: true, pollingInterval: 20 }
    const { created, ...rest } = await deployChain(client, deployment, artifacts, options)
    expect(created).toEqual([
      'DevelopmentAttestationVerifier',
      'EnclaveKeyRegistry',
      'CreationGateway',
      'BridgeIntentV2',
    ])
    expect(rest).toMatchObject(addresses)
    expect(await checkChainDeployment(client, deployment, artifacts)).toEqual([])
  })

  it('refuses another chain, another account, and arguments a constructor refuses', async () => {
    const [client, other] = clients as [DeployClient, DeployClient]
    await expect(deployChain(other, deploymentOf(0), artifacts)).rejects.toThrow(
      'expected chain 84532, but its RPC endpoint serves chain 2651420',
    )
    const stranger = { ...deploymentOf(0), deployer: quoting.address }
    await expect(deployChain(client, stranger, artifacts)).rejects.toThrow('expected deployer')
    const token = '0x000000000000000000000000000000000000bEEF'
    const wrong = { ...deploymentOf(0), salt: 'wrong' }
    wrong.tokens = [{ ...wrong.tokens[0]!, token }]
    await expect(deployChain(client, wrong, artifacts)).rejects.toThrow(
      `BridgeIntentV2 can't be created: its constructor reverts with NotAContract(${token})`,
    )
  })
})

describe('a check', () => {
  it('lists what was never deployed', async () => {
    const deployment = { ...deploymentOf(0), salt: 'never' }
    const findings = await checkChainDeployment(clients[0]!, deployment, artifacts)
    expect(findings.map(({ actual }) => actual)).toEqual(Array(5).fill('no code'))
  })

  it('finds every value that differs from the file', async () => {
    const { windows, registry, ...rest } = deploymentOf(0)
    const otherwise: DeploymentSettings = {
      ...rest,
      owner: quoting.address,
      treasury: quoting.address,
      forfeitReceiver: quoting.address,
      windows: {
        minAuctionDuration: windows.minAuctionDuration + 1,
        firmSeconds: windows.firmSeconds + 1,
        pickupWindow: windows.pickupWindow + 1,
        executionWindow: windows.executionWindow + 1,
        settlementGrace: windows.settlementGrace + 1,
        announcementDelay: windows.announcementDelay + 1,
      },
      tokens: [{ ...rest.tokens[0]!, quorum: 2, maxEscrow: 10n ** 13n }],
      destinations: [1],
      registry: {
        verifier: { kind: 'development', quotingKey: deployer.address },
        operators: [deployer.address, quoting.address],
        measurements: [keccak256(stringToHex('another program'))],
        keyLifetime: registry.keyLifetime + 1,
        activationDelay: registry.activationDelay + 1,
        additionDelay: registry.additionDelay + 1,
        acceptsDebug: false,
      },
      vault: { fundingWindow: 601, closeDelay: 86_401 },
      gateway: { permit2: quoting.address, weth: zeroAddress },
      confirmations: 451,
    }
    const findings = await checkChainDeployment(clients[0]!, otherwise, artifacts)
    const found = findings.map(({ contract, what }) => `${contract} ${what.split(/[(:]/)[0]}`)
    for (const what of EVERYTHING) expect(found).toContain(what)
  })

  it('passes once the file follows changes since the creation', async () => {
    const client = clients[0]!
    const deployment = { ...deploymentOf(0), salt: 'followed' }
    const options = { together: true, pollingInterval: 20 }
    const { bridge } = await deployChain(client, deployment, artifacts, options)
    const { abi } = artifacts.BridgeIntentV2
    const args = deployment.destinations.map(BigInt)
    const data = encodeFunctionData({ abi, functionName: 'delistDestination', args })
    await send(client, { to: bridge, data })
    const followed = { ...deployment, destinations: [] }
    expect(await checkChainDeployment(client, followed, artifacts)).toEqual([])
  })

  it('finds a contract whose creation wrote more than its constructor does', async () => {
    const client = clients[0]!
    const deployment = { ...deploymentOf(0), salt: 'rogue' }
    const { registry } = computeDeploymentAddresses(deployer.address, 'rogue')
    const steps = listDeploymentSteps(deployment, artifacts)
    const [, verifier, { creationCode }] = steps as [Step, Step, Step]
    await send(client, verifier.call)
    const code = await createRogueCode(client, creationCode, operatorSlot(quoting.address))
    const data = create3Call(create3Salt('rogue', 'registry'), code)
    const hash = await send(client, { to: CREATE3_FACTORY, data })
    await deployChain(client, deployment, artifacts, { together: true, pollingInterval: 20 })

    const { abi } = artifacts.EnclaveKeyRegistry
    const args = [quoting.address]
    const call = { address: registry, abi, functionName: 'operatorOf', args }
    expect(await client.readContract(call)).toMatchObject({ listing: 1n, removal: 0n })
    const found = await checkChainDeployment(client, deployment, artifacts)
    expect(found).toEqual([
      {
        contract: 'EnclaveKeyRegistry',
        what: `creation of ${registry}`,
        expected: 'its own creation code',
        actual: `another call, ${hash}`,
      },
    ])
    const late = { ...deployment, startBlock: Number(await client.getBlockNumber()) }
    const unseen = await checkChainDeployment(client, late, artifacts)
    expect(unseen.map(({ actual }) => actual)).toContain('none since startBlock')
  })

  it('finds a creation by any other call', async () => {
    const client = clients[0]!
    const deployment = deploymentOf(0)
    const { salt, creationCode } = readCreate3Call(
      listDeploymentSteps(deployment, artifacts)[1]!.call.data,
    )!
    const changes: Partial<Transaction>[] = [
      { from: quoting.address },
      { to: deployer.address },
      { to: null },
      { input: create3Call(create3Salt('other', 'verifier'), creationCode) },
      { input: concat([create3Call(salt, creationCode), '0x00']) },
    ]
    for (const change of [{}, ...changes]) {
      const getTransaction = async (of: { hash: Hash }) => {
        const sent = await client.getTransaction(of)
        return sent.input === create3Call(salt, creationCode) ? { ...sent, ...change } : sent
      }
      const told = { ...client, getTransaction } as DeployClient
      const found = await checkChainDeployment(told, deployment, artifacts)
      expect(found, JSON.stringify(change)).toHaveLength(Object.keys(change).length)
    }
  })

  it('finds later changes: lists, owners, the pause, code', async () => {
    const client = clients[1]!
    const deployment = { ...deploymentOf(1), salt: 'changed' }
    const { bridge, vault } = await deployChain(client, deployment, artifacts, {
      together: true,
      pollingInterval: 20,
    })
    const call = async (functionName: string, args: unknown[]) => {
      const { abi } = artifacts.BridgeIntentV2
      await send(client, { to: bridge, data: encodeFunctionData({ abi, functionName, args }) })
    }
    const stranger = quoting.address
    const listing = encodeFunctionData({
      abi: artifacts.BridgeIntentV2.abi,
      functionName: 'listPeriphery',
      args: [stranger],
    })
    await call('announce', [listing])
    const activeAt = Number((await client.getBlock()).timestamp) + 172_800
    expect(await checkChainDeployment(client, deployment, artifacts)).toEqual([
      {
        contract: 'BridgeIntentV2',
        what: `announced listPeriphery(${stranger})`,
        expected: 'none',
        actual: `pending, from ${new Date(activeAt * 1_000).toISOString()}`,
      },
    ])
    await client.request({ method: 'evm_increaseTime' as never, params: [172_801] as never })
    await call('listPeriphery', [stranger])
    await call('delistToken', [deployment.tokens[0]!.token])
    await call('transferOwnership', [stranger])
    await call('pauseCreation', [])
    await client.request({ method: 'anvil_setCode' as never, params: [vault, '0x00'] as never })
    const gone = await checkChainDeployment(client, deployment, artifacts)
    expect(gone.map(({ what, actual }) => `${what}: ${actual}`)).toContain('BRIDGE(): no answer')
    const code = (await client.getCode({ address: otherVault() })) ?? '0x'
    await client.request({ method: 'anvil_setCode' as never, params: [vault, code] as never })
    const texts = (await checkChainDeployment(client, deployment, artifacts)).map(
      ({ contract, what, actual }) => `${contract} ${what}: ${actual}`,
    )
    const token = deployment.tokens[0]!.token.toLowerCase()
    expect(texts).toEqual(
      expect.arrayContaining([
        `OrderVault code at ${vault}: other code`,
        `BridgeIntentV2 PeripheryListed: ${stranger.toLowerCase()}: listed`,
        `BridgeIntentV2 TokenListed: ${token}: not listed`,
        `BridgeIntentV2 pendingOwner(): ${stranger.toLowerCase()}`,
        'BridgeIntentV2 creationPaused(): true',
      ]),
    )
  })
})

/** Sends a call and waits until it is in a block. */
async function send(client: DeployClient, call: { to: Address; data: Hex }): Promise<Hash> {
  const hash = await client.sendTransaction(call)
  await client.waitForTransactionReceipt({ hash, pollingInterval: 20 })
  return hash
}

/** Creation code that leaves the same code as `genuine`, and 1 in a storage slot. */
async function createRogueCode(client: DeployClient, genuine: Hex, slot: Hex): Promise<Hex> {
  const library = '0x000000000000000000000000000000000000c0De'
  await client.request({ method: 'anvil_setCode' as never, params: [library, genuine] as never })
  return concat([
    '0x600060006000600073',
    library,
    '0x5af450', // delegatecall
    '0x3d600060003e', // returndatacopy
    '0x60017f',
    slot,
    '0x55', // sstore
    '0x3d6000f3', // return
  ])
}

/** Where the registry keeps an operator. */
function operatorSlot(operator: Address): Hex {
  const types = [{ type: 'address' }, { type: 'uint256' }] as const
  return keccak256(encodeAbiParameters(types, [operator, 2n]))
}

/** A vault of this program on the second chain, with another bridge in its code. */
function otherVault(): Address {
  return computeDeploymentAddresses(deployer.address, 'test').vault
}

const EVERYTHING = [
  'BridgeIntentV2 owner',
  'BridgeIntentV2 treasury',
  'BridgeIntentV2 FORFEIT_RECEIVER',
  'BridgeIntentV2 MIN_AUCTION_DURATION',
  'BridgeIntentV2 FIRM_SECONDS',
  'BridgeIntentV2 PICKUP_WINDOW',
  'BridgeIntentV2 EXECUTION_WINDOW',
  'BridgeIntentV2 SETTLEMENT_GRACE',
  'BridgeIntentV2 ANNOUNCEMENT_DELAY',
  'BridgeIntentV2 tokenListing',
  'BridgeIntentV2 isDestinationListed',
  'BridgeIntentV2 DestinationListed',
  'EnclaveKeyRegistry owner',
  'EnclaveKeyRegistry ACCEPTS_DEBUG',
  'EnclaveKeyRegistry KEY_LIFETIME',
  'EnclaveKeyRegistry ACTIVATION_DELAY',
  'EnclaveKeyRegistry ADDITION_DELAY',
  'EnclaveKeyRegistry operatorCount',
  'EnclaveKeyRegistry OperatorListed',
  'EnclaveKeyRegistry MeasurementAllowed',
  'verifier QUOTING_KEY',
  'OrderVault FUNDING_WINDOW',
  'OrderVault CLOSE_DELAY',
  'CreationGateway PERMIT2',
  'CreationGateway WETH',
  'the file confirmations',
]

/** The plan may be a little above what was used, since the factory's own share is a round figure. */
async function expectGasAsPlanned(
  client: DeployClient,
  before: bigint,
  planned: readonly PlannedStep[],
): Promise<void> {
  for (const [position, { gas, contract }] of planned.entries()) {
    const block = await client.getBlock({ blockNumber: before + BigInt(position) + 1n })
    const difference = Number(gas) / Number(block.gasUsed) - 1
    expect(Math.abs(difference), contract).toBeLessThan(0.1)
  }
}

async function deployToken(client: DeployClient): Promise<Address> {
  const { abi, bytecode } = artifacts.DevnetUsdc
  const hash = await client.deployContract({ abi, bytecode })
  const receipt = await client.waitForTransactionReceipt({ hash, pollingInterval: 20 })
  return receipt.contractAddress as Address
}

function deploymentOf(position: number): DeploymentSettings {
  return {
    chainId: CHAINS[position] as number,
    deployer: deployer.address,
    salt: 'test',
    owner: deployer.address,
    treasury: '0x000000000000000000000000000000000000bEEF',
    forfeitReceiver: FORFEIT_RECEIVER,
    windows: {
      minAuctionDuration: 20 + position,
      firmSeconds: 30,
      pickupWindow: 60,
      executionWindow: 3_600,
      settlementGrace: 259_200,
      announcementDelay: 172_800,
    },
    tokens: [
      { token: tokens[position] as Address, minEscrow: 10_000n, maxEscrow: 10n ** 12n, quorum: 1 },
    ],
    destinations: [CHAINS[1 - position] as number],
    registry: {
      verifier: { kind: 'development', quotingKey: quoting.address },
      operators: [deployer.address],
      measurements: [keccak256(stringToHex('program'))],
      keyLifetime: 2_592_000,
      activationDelay: 3_600,
      additionDelay: 345_600,
      acceptsDebug: true,
    },
    vault: { fundingWindow: 600, closeDelay: 86_400 },
    gateway: { permit2: zeroAddress, weth: tokens[position] as Address },
    confirmations: 10,
    blockSeconds: 2,
  }
}

import {
  type Address,
  createWalletClient,
  defineChain,
  http,
  keccak256,
  publicActions,
  stringToHex,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Artifacts, contractArtifacts } from '../../../contracts/artifacts.ts'
import { deploymentAddresses } from '../../../contracts/deploy/addresses.ts'
import { deployChain } from '../../../contracts/deploy/deployChain.ts'
import {
  type ChainDeployment,
  type DeployClient,
  FORFEIT_RECEIVER,
} from '../../../contracts/deploy/deployment.ts'
import { type RunningAnvil, startAnvil } from '../../../services/devnet/startAnvil.ts'

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
  artifacts = await contractArtifacts()
  nodes = await Promise.all(
    CHAINS.map((chainId) =>
      startAnvil({ chainId, blockTime: 0, extraArguments: ['--gas-limit', '100000000'] }),
    ),
  )
  clients = nodes.map(clientOf)
  tokens = await Promise.all(clients.map(deployToken))
})
afterAll(() => Promise.all(nodes.map((node) => node.stop())))

describe('a deployment', () => {
  it('has the same addresses on every chain, though the arguments differ', async () => {
    const expected = deploymentAddresses(deployer.address, 'test')
    for (const [position, client] of clients.entries()) {
      const deployment = deploymentOf(position)
      const first = await deployChain(client, deployment, artifacts, { pollingInterval: 20 })
      expect(first).toMatchObject(expected)
      expect(first.created).toHaveLength(6)
      const second = await deployChain(client, deployment, artifacts, { pollingInterval: 20 })
      expect(second.created).toEqual([])
    }
  })
})

function clientOf({ chainId, rpc }: RunningAnvil): DeployClient {
  const chain = defineChain({
    id: chainId,
    name: String(chainId),
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [rpc] } },
  })
  return createWalletClient({ account: deployer, chain, transport: http(rpc) }).extend(
    publicActions,
  )
}

async function deployToken(client: DeployClient): Promise<Address> {
  const { abi, bytecode } = artifacts.DevnetUsdc
  const hash = await client.deployContract({ abi, bytecode })
  const receipt = await client.waitForTransactionReceipt({ hash, pollingInterval: 20 })
  return receipt.contractAddress as Address
}

function deploymentOf(position: number): ChainDeployment {
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
    gateway: {
      permit2: '0x000000000022D473030F116dDEE9F6B43aC78BA3',
      weth: '0x4200000000000000000000000000000000000006',
    },
    confirmations: 10,
    blockSeconds: 2,
  }
}

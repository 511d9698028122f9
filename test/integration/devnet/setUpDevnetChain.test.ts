import { getAddress, keccak256, parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningAnvil, startAnvil } from '../../../contracts/anvil/startAnvil.ts'
import { enclaveKeyRegistryAbi } from '../../../core/abi/enclaveKeyRegistry.ts'
import { deriveDevnetAccounts, FUNDED_ACCOUNTS } from '../../../devnet/accounts.ts'
import { DEVNET_WINDOWS } from '../../../devnet/bridgeWindows.ts'
import { SAFE_SUITE } from '../../../devnet/deploy/deploySafeSuite.ts'
import {
  buildDevnetContracts,
  type DevnetContracts,
} from '../../../devnet/deploy/devnetContracts.ts'
import { registerEnclave } from '../../../devnet/deploy/registerEnclave.ts'
import { setUpDevnetChain } from '../../../devnet/deploy/setUpDevnetChain.ts'
import { createDevnetClient, type DevnetClient } from '../../../devnet/devnetClient.ts'
import { DEVNET_TOKENS, TOKEN_SYMBOLS } from '../../../devnet/tokens.ts'
import { createAccountSender } from '../../../services/chain/accountSender.ts'
import { MULTICALL3 } from '../../../services/chain/chainClient.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { createStandInEnclave } from '../../rig/standInEnclave.ts'
import { readCompiledContracts } from '../../run/compiledContracts.ts'

const IDS = [84532, 2651420]
const accounts = deriveDevnetAccounts()
const [attester] = accounts.attesters
let nodes: RunningAnvil[]
let clients: DevnetClient[]
let contracts: DevnetContracts

async function deploy(client: DevnetClient): Promise<void> {
  const others = IDS.filter((id) => id !== client.chain.id)
  await setUpDevnetChain(client, contracts, accounts, others)
  const enclave = createStandInEnclave(client, contracts.verifier, attester, accounts.quoting)
  const payer = createAccountSender(client, accounts.relayer, 20)
  await registerEnclave(client, payer, contracts.registry, enclave, accounts.operators[0])
}

beforeAll(async () => {
  contracts = buildDevnetContracts(await readCompiledContracts(), accounts, DEVNET_WINDOWS)
  nodes = await Promise.all(
    IDS.map((chainId) =>
      startAnvil({
        chainId,
        blockTime: 0,
        extraArguments: ['--gas-limit', '300000000', '--accounts', String(FUNDED_ACCOUNTS)],
      }),
    ),
  )
  clients = nodes.map((node) => createDevnetClient({ ...node, name: 'test' }))
  await Promise.all(clients.map(deploy))
})
afterAll(() => Promise.all(nodes.map((node) => node.stop())))

describe('a deployed devnet', () => {
  it('has everything at the same addresses on both chains', async () => {
    const { bridge, registry, verifier, vault, gateway, tokens } = contracts
    const ours = [bridge, registry, verifier, vault, gateway, ...Object.values(tokens)]
    const canonical = [MULTICALL3, ...Object.values(SAFE_SUITE).map(([, address]) => address)]
    for (const address of [...ours, ...canonical] as `0x${string}`[])
      for (const client of clients) expect(await client.getCode({ address }), address).toBeDefined()
  })

  it('has the genuine Multicall3 and a Safe singleton that nobody can set up', async () => {
    for (const client of clients) {
      const code = await client.getCode({ address: MULTICALL3 })
      expect(keccak256(code ?? '0x')).toBe(
        '0xd5c15df687b16f2ff992fc8d767b4216323184a2bbc6ee2f9c398c318e770891',
      )
      const threshold = await client.readContract({
        address: getAddress(SAFE_SUITE.Safe[1]),
        abi: parseAbi(['function getThreshold() view returns (uint256)']),
        functionName: 'getThreshold',
      })
      expect(threshold).toBe(1n)
    }
  })

  it('has an enclave whose signatures count, open lists and the tokens’ own decimals', async () => {
    for (const [at, client] of clients.entries()) {
      const bridge = { address: contracts.bridge, abi: bridgeIntentV2Abi } as const
      const args = [attester.address] as const
      const registry = { address: contracts.registry, abi: enclaveKeyRegistryAbi, args } as const
      expect(await client.readContract({ ...registry, functionName: 'isActive' })).toBe(true)
      const other = [BigInt(IDS[1 - at] ?? 0)] as const
      const functionName = 'isDestinationListed' as const
      expect(await client.readContract({ ...bridge, functionName, args: other })).toBe(true)
      for (const symbol of TOKEN_SYMBOLS) {
        const address = contracts.tokens[symbol]
        const abi = parseAbi([
          'function symbol() view returns (string)',
          'function decimals() view returns (uint8)',
        ])
        expect(await client.readContract({ address, abi, functionName: 'symbol' })).toBe(symbol)
        expect(await client.readContract({ address, abi, functionName: 'decimals' })).toBe(
          DEVNET_TOKENS[symbol].decimals,
        )
        const token = [address] as const
        const listing = { ...bridge, functionName: 'tokenListing', args: token } as const
        expect((await client.readContract(listing))[0]).toBe(true)
        const stake = [accounts.rogue.address, address] as const
        const staked = { ...bridge, functionName: 'stakeOf', args: stake } as const
        expect((await client.readContract(staked))[0]).toBeGreaterThan(0n)
      }
    }
  })

  it('is left unchanged by a second deployment', async () => {
    const heads = () => Promise.all(clients.map((client) => client.getBlockNumber()))
    const before = await heads()
    await Promise.all(clients.map(deploy))
    // Each transaction would have made a block.
    expect(await heads()).toEqual(before)
  })
})

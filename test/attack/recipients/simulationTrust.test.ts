import {
  concat,
  createPublicClient,
  createWalletClient,
  getContractAddress,
  type Hex,
  http,
  pad,
  serializeErc6492Signature,
} from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningAnvil, startAnvil } from '../../../contracts/anvil/startAnvil.ts'
import {
  type ContractSignatureCheck,
  createContractSignatureCheck,
} from '../../../services/enclave/accounts/contractSignatureCheck.ts'
import type { EnclaveChain } from '../../../services/enclave/enclaveChain.ts'

const CHAIN_ID = 84532

/** Creates a contract that consists of this code. */
const creating = (runtime: Hex): Hex =>
  concat([`0x60${(runtime.length / 2 - 1).toString(16)}8060095f395ff3`, runtime])

/**
 * A wallet that accepts any ERC-1271 signature once its owner has called it, or anyone with zero as `tx.origin`, which
 * no transaction has: Ambire's accounts execute calls without a signature then, so that these can be simulated.
 */
const TRUSTING: Hex = `0x${[
  ...['5f3560e01c', '80631626ba7e14601c57', '32601857', '60015f5500', '5b5f5ffd'],
  ...['5b5f54631626ba7e60e01b025f5260205ff3'],
].join('')}`

/** The same, but open to anyone's call at any time, as some wallets are until they are set up. */
const UNGUARDED: Hex = `0x${[
  ...['5f3560e01c', '80631626ba7e14601c57', '5f601857', '60015f5500', '5b5f5ffd'],
  ...['5b5f54631626ba7e60e01b025f5260205ff3'],
].join('')}`

/** Deploys what it is called with, by CREATE2 with salt zero, and calls that without data. */
const DEPLOYER: Hex = '0x365f5f375f365f5ff55f5f5f5f5f945af100'

let node: RunningAnvil
let accepts: ContractSignatureCheck
let deploy: (runtime: Hex) => Promise<Hex>

beforeAll(async () => {
  node = await startAnvil({ chainId: CHAIN_ID, blockTime: 0 })
  const account = mnemonicToAccount('test test test test test test test test test test test junk')
  const transport = http(node.rpc)
  const client = createPublicClient({ transport, pollingInterval: 50 })
  const wallet = createWalletClient({ account, transport })
  deploy = async (runtime) => {
    const code = { abi: [], bytecode: creating(runtime), chain: null }
    const hash = await wallet.deployContract(code)
    return (await client.waitForTransactionReceipt({ hash })).contractAddress!
  }
  const provider = { url: node.rpc, host: 'one', operator: 'one' }
  const chain = { chainId: CHAIN_ID, providers: [provider], agreeing: 1 }
  accepts = createContractSignatureCheck([chain as unknown as EnclaveChain])
})
afterAll(() => node?.stop())

const wrap = (address: Hex, data: Hex, signature: Hex) =>
  serializeErc6492Signature({ address, data, signature })
const isAccepted = (wallet: Hex, signature: Hex) =>
  accepts(CHAIN_ID, { wallet, hash: pad('0x1234'), signature })

test('a deployed wallet isn’t called by a stranger’s signature before it decides', async () => {
  for (const runtime of [TRUSTING, UNGUARDED]) {
    const wallet = await deploy(runtime)
    const calling = wrap(wallet, '0xdeadbeef', '0x01')
    expect(await isAccepted(wallet, calling)).toBe(false)
    expect(await isAccepted(wallet, wrap(wallet, '0x', calling))).toBe(false)
  }
})

test('a wallet that its signature deploys doesn’t take the check for a simulation', async () => {
  const deployer = await deploy(DEPLOYER)
  const undeployed = (runtime: Hex) => {
    const bytecode = creating(runtime)
    const about = { from: deployer, salt: pad('0x'), bytecode }
    const wallet = getContractAddress({ opcode: 'CREATE2', ...about })
    return { wallet, signature: wrap(deployer, bytecode, '0x01') }
  }
  const trusting = undeployed(TRUSTING)
  expect(await isAccepted(trusting.wallet, trusting.signature)).toBe(false)
  // The call is made: here it counts.
  const unguarded = undeployed(UNGUARDED)
  expect(await isAccepted(unguarded.wallet, unguarded.signature)).toBe(true)
})

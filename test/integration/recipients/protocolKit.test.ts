import { type Address, erc20Abi, getAddress, type Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findSafeContracts } from '../../../core/safe/safeContracts.ts'
import { deriveDevnetAccounts } from '../../../devnet/accounts.ts'
import { DEVNET_WINDOWS } from '../../../devnet/bridgeWindows.ts'
import { buildDevnetContracts } from '../../../devnet/deploy/devnetContracts.ts'
import { SafeClient } from '../../../examples/receive/safeClient.ts'
import { asSafeTransaction } from '../../../sdk/safe/multiSend.ts'
import {
  execTransactionCall,
  type SafeCall,
  safeTransactionDocument,
  safeTransactionHash,
} from '../../../sdk/safe/safeTransaction.ts'
import { transferCall } from '../../../sdk/safe/transferCall.ts'
import type { AccountSender } from '../../../services/chain/accountSender.ts'
import { predictOwnedSafe } from '../../../tools/sweep/predictOwnedSafe.ts'
import { encodeMint } from '../../rig/encodeMint.ts'
import { readCompiledContracts } from '../../run/compiledContracts.ts'
import { type BridgeChain, openBridgeChain } from '../indexer/bridgePair.ts'

const CHAIN = 84532
const safeContracts = findSafeContracts(CHAIN)
const key = generatePrivateKey()
const owner = privateKeyToAccount(key)
const { safeAddress, deployment } = predictOwnedSafe(CHAIN, owner, safeContracts)
const destination: Address = '0xdeadbeef00000000000000000000000000000001'

let chain: BridgeChain
let payer: AccountSender
let tokens: BridgeChain['contracts']['tokens']

beforeAll(async () => {
  const contracts = buildDevnetContracts(
    await readCompiledContracts(),
    deriveDevnetAccounts(),
    DEVNET_WINDOWS,
  )
  chain = await openBridgeChain(contracts, 'base_sepolia', CHAIN, 2651420)
  payer = chain.senders[0] as AccountSender
  tokens = contracts.tokens
})
afterAll(() => chain?.node.stop())

/** Safe's own client, told nothing but the owner or the address. */
function kit(where: { safeAddress: string } | 'predicted'): Promise<SafeClient> {
  const common = { provider: chain.node.rpc, signer: key }
  if (where !== 'predicted') return SafeClient.init({ ...common, ...where })
  return SafeClient.init({
    ...common,
    predictedSafe: {
      safeAccountConfig: { owners: [owner.address], threshold: 1 },
      safeDeploymentConfig: { safeVersion: '1.4.1' },
    },
  })
}

test('Safe’s own client predicts the same Safe and deploys it with the same call', async () => {
  const predicted = await kit('predicted')
  expect(await predicted.getAddress()).toBe(safeAddress)
  const theirs = await predicted.createSafeDeploymentTransaction()
  expect(getAddress(theirs.to)).toBe(getAddress(deployment.to))
  expect(theirs.data).toBe(deployment.data)
  await payer.execute({ to: deployment.to, data: deployment.data })
})

test('Safe’s own client and Cairn build the same transactions and hashes for a transfer and a batch', async () => {
  const safe = await kit({ safeAddress })
  for (const calls of [transfers().slice(0, 1), transfers()]) {
    const theirs = await safe.createTransaction({ transactions: metaOf(calls), onlyCalls: true })
    const ours = asSafeTransaction(calls, 0n, safeContracts.multiSendCallOnly)
    expect(theirs.data).toMatchObject({ operation: ours.operation, nonce: 0, value: '0' })
    expect(theirs.data.to.toLowerCase()).toBe(ours.to.toLowerCase())
    expect(theirs.data.data.toLowerCase()).toBe(ours.data.toLowerCase())
    expect(await safe.getTransactionHash(theirs)).toBe(
      safeTransactionHash({ chainId: CHAIN, safeAddress }, ours),
    )
  }
})

test('Safe’s own client and Cairn accept each other’s signatures', async () => {
  const safe = await kit({ safeAddress })
  await mint(tokens.USDC, 10n)
  await mint(tokens.ZEN, 20n)
  const theirs = await safe.signTransaction(
    await safe.createTransaction({ transactions: metaOf(transfers()), onlyCalls: true }),
  )
  const first = asSafeTransaction(transfers(), 0n, safeContracts.multiSendCallOnly)
  const signature = theirs.encodedSignatures() as Hex
  await payer.execute({ to: safeAddress, data: execTransactionCall(first, signature) })
  expect(await held(tokens.USDC)).toBe(4n)
  expect(await held(tokens.ZEN)).toBe(5n)

  const second = asSafeTransaction(transfers(), 1n, safeContracts.multiSendCallOnly)
  const document = safeTransactionDocument({ chainId: CHAIN, safeAddress }, second)
  const ours = await owner.signTypedData(document)
  const again = await safe.createTransaction({ transactions: metaOf(transfers()), onlyCalls: true })
  expect((await safe.signTransaction(again)).encodedSignatures()).toBe(ours)
  const data = execTransactionCall(second, ours)
  expect((await payer.execute({ to: safeAddress, data })).status).toBe('success')
  expect(await held(tokens.ZEN)).toBe(10n)
})

function transfers(): SafeCall[] {
  return [transferCall(tokens.USDC, destination, 4n), transferCall(tokens.ZEN, destination, 5n)]
}

function metaOf(calls: readonly SafeCall[]) {
  return calls.map(({ to, value, data }) => ({ to, value: String(value), data }))
}

async function mint(token: Address, amount: bigint): Promise<void> {
  await payer.execute({ to: token, data: encodeMint(safeAddress, amount) })
}

function held(token: Address): Promise<bigint> {
  const question = { address: token, abi: erc20Abi, functionName: 'balanceOf' } as const
  return chain.client.readContract({ ...question, args: [destination] })
}

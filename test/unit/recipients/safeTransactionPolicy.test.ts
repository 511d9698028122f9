import { encodeFunctionData, zeroAddress } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import { predictSafe } from '../../../core/safe/predictSafe.ts'
import { safeAbi, safeProxyFactoryAbi } from '../../../core/safe/safeAbi.ts'
import { findSafeContracts } from '../../../core/safe/safeContracts.ts'
import { createEnclave } from '../../../services/enclave/createEnclave.ts'
import type { Enclave, ResponseOf } from '../../../services/enclave/enclaveInterface.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'

const [BASE, HORIZEN] = [84532, 2651420]
const CONTRACTS = findSafeContracts(BASE)
const wallet = `0x${'ab'.repeat(20)}` as const
const other = `0x${'cd'.repeat(20)}` as const
const delivery = { recipientAddress: wallet, chainId: BASE, intentId: 5n } as const
const chains = [BASE, HORIZEN].map((chainId) => ({
  chainId,
  providers: [],
  agreeing: 1,
  mode: 'strict' as const,
  confirmations: 1,
  maxTransactionCost: 10n ** 17n,
  safe: findSafeContracts(chainId),
  bridge: `0x${'b1'.repeat(20)}` as const,
}))

let enclave: Enclave
let safe: ResponseOf<'deriveStealth'>
beforeAll(async () => {
  enclave = await createEnclave({ roots: [new Uint8Array(32).fill(3)], chains })
  safe = await enclave.deriveStealth(delivery)
})

const fees = { gas: 400_000n, maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 1n }

async function isSigned(transaction: { to: Hex; data: Hex; chainId?: number }): Promise<boolean> {
  const requested = { chainId: BASE, nonce: 0, ticket: safe.ticket, ...fees, ...transaction }
  return enclave.signTransaction(requested).then(
    () => true,
    (error) => {
      if (error.code !== 'TRANSACTION_NOT_ALLOWED') throw error
      return false
    },
  )
}

type Execution = { to?: Hex; operation?: number; paid?: bigint[]; to2?: Hex[]; signature?: Hex }

function execution(change: Execution = {}): Hex {
  const { to = other, operation = 0, signature = `0x${'11'.repeat(65)}` } = change
  const [safeTxGas = 0n, baseGas = 0n, gasPrice = 0n] = change.paid ?? []
  const [gasToken = zeroAddress, refundReceiver = zeroAddress] = change.to2 ?? []
  return encodeFunctionData({
    abi: safeAbi,
    functionName: 'execTransaction',
    args: [
      ...([to, 0n, '0x', operation, safeTxGas, baseGas, gasPrice] as const),
      ...([gasToken, refundReceiver, signature] as const),
    ],
  })
}

describe('the enclave: an execution', () => {
  test('of our own Safe is signed', async () => {
    expect(await isSigned({ to: safe.safeAddress, data: execution() })).toBe(true)
    const to = CONTRACTS.multiSendCallOnly
    const batch = execution({ to, operation: 1 })
    expect(await isSigned({ to: safe.safeAddress, data: batch })).toBe(true)
  })

  test.each([
    ['of another Safe', { to: other }],
    ['without a ticket', { ticket: undefined }],
    ['with a ticket of nobody’s', { ticket: `0x${'00'.repeat(98)}` }],
    ['with more gas than any relayed transaction', { gas: 2_500_001n }],
    ['on another chain', { chainId: HORIZEN }],
    ['that pays back for gas', { data: execution({ paid: [0n, 0n, 1n] }) }],
    ['with a base fee', { data: execution({ paid: [0n, 1n] }) }],
    ['with gas of its own', { data: execution({ paid: [1n] }) }],
    ['with a token to pay back in', { data: execution({ to2: [other] }) }],
    ['with somebody to be paid back', { data: execution({ to2: [zeroAddress, other] }) }],
    ['of foreign code', { data: execution({ operation: 1 }) }],
    ['of an unknown kind', { data: execution({ operation: 2, to: CONTRACTS.multiSendCallOnly }) }],
    ['by two signatures', { data: execution({ signature: `0x${'11'.repeat(130)}` }) }],
  ])('%s is not signed', async (_, change) => {
    expect(await isSigned({ to: safe.safeAddress, data: execution(), ...change })).toBe(false)
  })

  test('of the Safe that the same owner would have on another chain is not signed', async () => {
    const { address: to } = predictSafe(safe.stealthAddress, HORIZEN, findSafeContracts(HORIZEN))
    expect(await isSigned({ to, data: execution(), chainId: HORIZEN })).toBe(false)
  })
})

describe('the enclave: a deployment', () => {
  const deployment = (
    owner: Hex,
    contracts = CONTRACTS,
    more: Partial<{ saltNonce: bigint }> = {},
  ) => {
    const { initializer, saltNonce } = { ...predictSafe(owner, BASE, contracts), ...more }
    return encodeFunctionData({
      abi: safeProxyFactoryAbi,
      functionName: 'createProxyWithNonce',
      args: [contracts.singleton, initializer, saltNonce],
    })
  }
  const to = CONTRACTS.proxyFactory

  test('of our own Safe is signed', async () => {
    const data = deployment(safe.stealthAddress)
    expect(await isSigned({ to, data })).toBe(true)
    expect(await isSigned({ to: other, data })).toBe(false)
  })

  test.each([
    ['of somebody else’s Safe', () => deployment(wallet)],
    [
      'of another singleton',
      () => deployment(safe.stealthAddress, { ...CONTRACTS, singleton: other }),
    ],
    [
      'with another handler',
      () => deployment(safe.stealthAddress, { ...CONTRACTS, fallbackHandler: other }),
    ],
    ['under another salt', () => deployment(safe.stealthAddress, CONTRACTS, { saltNonce: 1n })],
    ['with something behind it', () => `${deployment(safe.stealthAddress)}00` as Hex],
  ])('%s is not signed', async (_, data) => {
    expect(await isSigned({ to, data: data() })).toBe(false)
  })
})

describe('a recipient’s tag', () => {
  test('is always the same, and differs between key and contract and between chains', async () => {
    const recipients = [
      { recipientAddress: wallet },
      { recipientAddress: wallet.toUpperCase().replace('0X', '0x') },
      { recipientAddress: wallet, contractOn: BASE },
      { recipientAddress: wallet, contractOn: HORIZEN },
      { recipientAddress: other },
    ]
    const { tags } = await enclave.tagRecipients({ recipients })
    expect(tags[0]).toEqual(tags[1])
    expect(new Set(tags.flat()).size).toBe(4)
    expect(tags[0]).toEqual([safe.tag])
  })

  test('is derived again under its own root, even after a rotation', async () => {
    const roots = [9, 3].map((byte) => new Uint8Array(32).fill(byte))
    const rotated = await createEnclave({ roots: roots as [Uint8Array, Uint8Array], chains })
    const { keyId } = await enclave.publicKeys()
    expect(await rotated.publicKeys()).toMatchObject({ previousKeyIds: [keyId] })
    const contract = { ...delivery, contractOn: BASE, index: 2 }
    const { ticket: _, ...ofContract } = await enclave.deriveStealth(contract)
    const { ticket, ...ofKey } = safe
    const { derived } = await rotated.deriveStealths({
      deliveries: [
        { ...delivery, keyId },
        { ...contract, keyId },
        { ...delivery, keyId: '0x00000000' },
        { ...delivery, chainId: 5, keyId },
      ],
    })
    expect(derived).toEqual([
      { ...ofKey, ticket: expect.any(String) },
      { ...ofContract, ticket: expect.any(String) },
      null,
      null,
    ])
    const requested = { chainId: BASE, nonce: 0, to: safe.safeAddress, data: execution(), ...fees }
    for (const good of [derived[0]?.ticket, ticket])
      expect(await rotated.signTransaction({ ...requested, ticket: good })).toMatchObject({})
  })
})

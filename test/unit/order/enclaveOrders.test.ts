import { encrypt } from 'eciesjs'
import {
  bytesToHex,
  encodeFunctionData,
  type Hex,
  hexToBytes,
  keccak256,
  parseTransaction,
  recoverTypedDataAddress,
  stringToBytes,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { beforeAll, describe, expect, test } from 'vitest'
import { toApiOrderId } from '../../../core/order/apiOrderId.ts'
import { buildVaultMessage } from '../../../core/order/enclaveVaultMessages.ts'
import { storeRecipientsMessage } from '../../../core/recipientBundle/storeRecipientsMessage.ts'
import { findSafeContracts } from '../../../core/safe/safeContracts.ts'
import { orderKeyTypedData } from '../../../sdk/messages/orderKeyTypedData.ts'
import { registerWebhookMessage } from '../../../sdk/messages/webhookMessages.ts'
import { createEnclave } from '../../../services/enclave/createEnclave.ts'
import type { EnclaveChain, Mode } from '../../../services/enclave/enclaveChain.ts'
import { EnclaveError } from '../../../services/enclave/enclaveError.ts'
import type { Enclave } from '../../../services/enclave/enclaveInterface.ts'
import { orderVaultAbi } from '../../../src/event/abi/orderVault.ts'
import { paramsHash } from '../../../src/event/paramsHash.ts'

const ROOT = new Uint8Array(32).fill(0x21)
const NOW = 1_800_000_000
const vault: Hex = `0x${'0a'.repeat(20)}`
const bridge: Hex = `0x${'b1'.repeat(20)}`
const owner = privateKeyToAccount(`0x${'77'.repeat(32)}`)
const thief = privateKeyToAccount(`0x${'66'.repeat(32)}`)
const [payee, other]: [Hex, Hex] = [`0x${'ab'.repeat(20)}`, `0x${'cd'.repeat(20)}`]

const chainOf = (chainId: number, mode: Mode): EnclaveChain => ({
  chainId,
  bridge,
  vault,
  providers: [],
  agreeing: 1,
  mode,
  safe: findSafeContracts(chainId),
  confirmations: 1,
  maxTransactionCost: 10n ** 17n,
})
const chainsOf = (mode: Mode) => [84532, 2651420, 8453, 26514].map((id) => chainOf(id, mode))

const ORDER = {
  user: owner.address,
  assetIn: `0x${'70'.repeat(20)}`,
  assetOut: `0x${'71'.repeat(20)}`,
  chainIn: 'base_sepolia',
  chainOut: 'horizen_testnet',
  sourceChainId: 84532,
  destChainId: 2651420,
  totalAmountIn: '5000',
  amountPerPeriod: '1000',
  period: 60,
  startTime: NOW,
  endTime: NOW + 600,
  recipients: [payee, other],
  amounts: ['40', '50'],
}
const MAINNET = { chainIn: 'base_mainnet', chainOut: 'horizen_mainnet' }
const ON_MAINNET = { ...MAINNET, sourceChainId: 8453, destChainId: 26514 }

let strict: Enclave
let compat: Enclave
let publicKey: Hex
beforeAll(async () => {
  const nobody = async () => false
  const common = {
    roots: [ROOT] as [Uint8Array],
    now: () => NOW,
    isContractSignature: nobody,
    shortestAuction: async () => 20,
  }
  strict = await createEnclave({ ...common, chains: chainsOf('strict') })
  compat = await createEnclave({ ...common, chains: chainsOf('compat') })
  publicKey = (await strict.orderKeys()).eciesPublicKey as Hex
})

const seal = (order: object = ORDER, key = publicKey): Hex =>
  bytesToHex(encrypt(hexToBytes(key), stringToBytes(JSON.stringify(order))))

async function submitted(
  order: object = ORDER,
  { by = owner, message }: { by?: typeof owner; message?: (encrypted: Hex) => string } = {},
) {
  const encrypted = seal(order)
  const text =
    message?.(encrypted) ?? `TWAP_ORDER:${keccak256(encrypted).slice(2)}:84532:${NOW + 600}`
  const signature = await by.signMessage({ message: text })
  return { encrypted, message: text, signature, deadline: NOW + 600 }
}

async function refusal(asked: Promise<unknown>): Promise<string> {
  try {
    await asked
    return 'done'
  } catch (error) {
    return error instanceof EnclaveError ? error.message : 'another error'
  }
}

test('the key that orders are encrypted to is signed by the attestation key', async () => {
  const { eciesPublicKey, signature, signer } = await strict.orderKeys()
  const signed = orderKeyTypedData(eciesPublicKey as Hex)
  const found = await recoverTypedDataAddress({ ...signed, signature: signature as Hex })
  expect(found.toLowerCase()).toBe(signer)
  expect(signer).toBe((await strict.publicKeys()).attester)
})

describe('funding', () => {
  test('the terms are the owner’s, and signed for this vault', async () => {
    const request = await submitted()
    const signed = await strict.signFunding(request)
    expect(signed.message).toMatchObject({
      orderId: keccak256(request.encrypted),
      owner: owner.address.toLowerCase(),
      expectedAmountB: 90n,
      totalAmount: 5_000n,
      amountPerPeriod: 1_000n,
      period: 60n,
      destChainId: 2651420n,
      deadline: BigInt(NOW + 600),
    })
    const typed = buildVaultMessage({ chainId: 84532, vault }, 'FundOrder', signed.message)
    const { signature } = signed
    const signer = await recoverTypedDataAddress({ ...typed, signature } as never)
    expect(signer.toLowerCase()).toBe((await strict.publicKeys()).attester)
    expect(request.message.slice(signed.digestOffset).slice(0, 64)).toBe(
      keccak256(request.encrypted).slice(2),
    )
  })

  test('every form of one signature becomes the one that contracts take', async () => {
    const request = await submitted()
    const { ownerSignature } = await strict.signFunding(request)
    const s = BigInt(`0x${request.signature.slice(66, 130)}`)
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
    const v = Number.parseInt(request.signature.slice(130), 16)
    const turned = (order - s).toString(16).padStart(64, '0')
    const forms: Hex[] = [
      `${request.signature.slice(0, 130)}0${v - 27}` as Hex,
      `${request.signature.slice(0, 66)}${turned}${(v === 27 ? 28 : 27).toString(16)}` as Hex,
      `0x${request.signature.slice(2).toUpperCase()}`,
    ]
    for (const signature of forms) {
      const signed = await strict.signFunding({ ...request, signature })
      expect(signed.ownerSignature).toBe(ownerSignature)
    }
  })

  test('somebody else’s signature, none at all, and a ciphertext for another key', async () => {
    expect(await refusal(strict.signFunding(await submitted(ORDER, { by: thief })))).toBe(
      'SIGNER_MISMATCH',
    )
    const request = await submitted()
    const rubbish: Hex = `0x${'ff'.repeat(65)}`
    expect(await refusal(strict.signFunding({ ...request, signature: rubbish }))).toBe(
      'SIGNATURE_INVALID',
    )
    const relayers = (await strict.publicKeys()).eciesPublicKey as Hex
    const encrypted = seal(ORDER, relayers)
    expect(await refusal(strict.signFunding({ ...request, encrypted }))).toBe('DECRYPTION_FAILED')
  })

  test('another order’s message, a lapsed one, one for another chain, one that names nothing', async () => {
    const first = await submitted()
    const second = await submitted({ ...ORDER, period: 61 })
    const { message, signature } = first
    expect(await refusal(strict.signFunding({ ...second, message, signature }))).toBe(
      'MESSAGE_REFUSED (ORDER_NOT_NAMED)',
    )
    const say = (text: (digest: string) => string) =>
      submitted(ORDER, { message: (encrypted) => text(keccak256(encrypted).slice(2)) })
    const lapsed = await say((digest) => `TWAP_ORDER:${digest}:84532:${NOW}`)
    expect(await refusal(strict.signFunding(lapsed))).toBe('MESSAGE_REFUSED (LAPSED)')
    const elsewhere = await say((digest) => `TWAP_ORDER:${digest}:8453:${NOW + 9}`)
    expect(await refusal(strict.signFunding(elsewhere))).toBe('MESSAGE_REFUSED (OTHER_CHAIN)')
    // Nobody's signature of it is checked, which may ask the order's chain.
    const forged = { ...elsewhere, signature: `0x${'ff'.repeat(65)}` as const }
    expect(await refusal(strict.signFunding(forged))).toBe('MESSAGE_REFUSED (OTHER_CHAIN)')
    const any = await say(() => 'gm')
    expect(await refusal(strict.signFunding(any))).toBe('MESSAGE_REFUSED (ORDER_NOT_NAMED)')
    expect(await refusal(strict.signFunding(await say((digest) => `Buy: ${digest}, ümlaut`)))).toBe(
      'done',
    )
  })

  test('compat takes any text on a test network, and never on a mainnet', async () => {
    const any = () => 'gm'
    expect(await refusal(compat.signFunding(await submitted(ORDER, { message: any })))).toBe('done')
    const mainnet = await submitted({ ...ORDER, ...ON_MAINNET }, { message: any })
    expect(await refusal(compat.signFunding(mainnet))).toBe('MESSAGE_REFUSED (ORDER_NOT_NAMED)')
  })

  test('a message for another use places no order, even if it names one: a relayer could have chosen its digits', async () => {
    const naming = { recipients: [payee], amounts: [1n], salt: `0x${'5a'.repeat(32)}` as const }
    const about = { intentId: 7n, sourceChainId: 84532, n: 1, ...naming }
    const messages = [
      (digits: string) => `TWAP_READ:0x${digits}:${NOW + 60}`,
      (digits: string) => `TWAP_CANCEL:0x${digits}:${NOW + 60}`,
      (digits: string) => `twap_cancel:${digits}`,
      (digits: string) => storeRecipientsMessage({ ...about, paramsHash: `0x${digits}` }),
      (digits: string) => `INTENT_PRIVATE:${digits}:84532:${NOW}`,
      (digits: string) => `INTENT_METADATA:${digits}:84532:0x`,
      (digits: string) => `GET_RECIPIENTS:${digits}:84532:${NOW}`,
      (digits: string) => `REGISTER_STEALTH:${digits}`,
      (digits: string) => `REGISTER_SOLVER:${owner.address}:0x${digits}:${NOW}`,
      (digits: string) => `GENERATE_STEALTH:${payee}:84532:${digits}`,
      (digits: string) => `DERIVE_STEALTH_KEY:${payee}:0x${digits}`,
      (digits: string) => `DEPLOY_SAFE:0x${digits}:84532`,
      (digits: string) =>
        registerWebhookMessage(`https://a.example/${digits}`, { chainId: 1 }, 'instant', NOW),
      (digits: string) => `WEBHOOK:disable:${digits}:${NOW}`,
    ]
    for (const compose of messages) {
      const message = (encrypted: Hex) => compose(keccak256(encrypted).slice(2))
      for (const enclave of [strict, compat]) {
        expect(await refusal(enclave.signFunding(await submitted(ORDER, { message })))).toBe(
          'MESSAGE_REFUSED (ORDER_NOT_NAMED)',
        )
      }
    }
  })

  test('a request can’t be made good for longer than ten minutes', async () => {
    const request = await submitted()
    for (const deadline of [NOW, NOW + 601]) {
      expect(await refusal(strict.signFunding({ ...request, deadline }))).toBe(
        'REQUEST_INVALID (deadline)',
      )
    }
  })

  test('an order can’t be funded once its owner’s message has expired: the owner may have placed another', async () => {
    const digits = (encrypted: Hex) => keccak256(encrypted).slice(2)
    const soon = await submitted(ORDER, {
      message: (encrypted) => `TWAP_ORDER:${digits(encrypted)}:84532:${NOW + 60}`,
    })
    const free = await submitted(ORDER, { message: (encrypted) => `Buy: ${digits(encrypted)}` })
    expect((await strict.signFunding(soon)).message.deadline).toBe(BigInt(NOW + 60))
    expect((await strict.signFunding({ ...soon, deadline: NOW + 9 })).message.deadline).toBe(
      BigInt(NOW + 9),
    )
    expect((await strict.signFunding(free)).message.deadline).toBe(BigInt(NOW + 600))
  })

  test.each([
    ['user', { user: `0x${'00'.repeat(20)}` }],
    ['assetIn', { assetIn: '0x12' }],
    ['assetOut', { assetOut: null }],
    ['chainIn', { chainIn: 'horizen_testnet' }],
    ['chainOut', { chainOut: 'mars' }],
    ['sourceChainId', { sourceChainId: 1, chainIn: 'ethereum_mainnet' }],
    ['destChainId', { destChainId: 10, chainOut: 'optimism_mainnet' }],
    ['destChainId', { destChainId: 84532, chainOut: 'base_sepolia' }],
    ['totalAmountIn', { totalAmountIn: '999' }],
    ['totalAmountIn', { totalAmountIn: String(1n << 96n) }],
    ['amountPerPeriod', { amountPerPeriod: '0' }],
    ['amountPerPeriod', { amountPerPeriod: 1_000 }],
    ['period', { period: 4 }],
    ['period', { period: 5.5 }],
    ['startTime', { startTime: NOW * 1_000 }],
    ['endTime', { endTime: NOW }],
    ['endTime', { startTime: NOW - 100, endTime: NOW - 1 }],
    ['recipients', { recipients: [], amounts: [] }],
    ['recipients.1', { recipients: [payee, `0x${'00'.repeat(20)}`] }],
    ['recipients.0', { recipients: [bridge, payee] }],
    ['recipients.0', { recipients: [`0x${'71'.repeat(20)}`, payee] }],
    ['amounts', { amounts: ['1'] }],
    ['amounts.0', { amounts: ['0', '1'] }],
  ])('%s: %j', async (field, change) => {
    expect(await refusal(strict.signFunding(await submitted({ ...ORDER, ...change })))).toBe(
      `ORDER_INVALID (${field})`,
    )
  })
})

describe('tranches', () => {
  const about = { sourceChainId: 84532 }

  test('the blob names the order’s recipients for exactly the intent that the vault creates', async () => {
    const encrypted = seal()
    const { encryptedBlob, message } = await strict.signTranche({ ...about, encrypted, n: 3 })
    expect(message.blobHash).toBe(keccak256(encryptedBlob as Hex))
    const terms = paramsHash({
      chainId: 84532,
      bridge,
      user: owner.address,
      tokenA: ORDER.assetIn as Hex,
      tokenB: ORDER.assetOut as Hex,
      amountA: 950n,
      reward: 50n,
      expectedAmountB: 90n,
      destChainId: 2651420,
      auctionDuration: 30,
    })
    const expected = {
      sourceChainId: 84532,
      bridge,
      user: owner.address,
      paramsHash: terms,
      intentId: 9n,
    }
    const opened = await strict.openBlob({ blob: encryptedBlob, expected })
    expect(opened).toMatchObject({
      ok: true,
      contents: { recipients: [payee, other], amounts: [40n, 50n], n: 0 },
    })
  })

  test('the same bytes every time and from every enclave, others for every tranche and order', async () => {
    const [one, two] = [seal(), seal()]
    const blobOf = async (by: Enclave, encrypted: Hex, n: number) =>
      (await by.signTranche({ ...about, encrypted, n })).encryptedBlob
    const blob = await blobOf(strict, one, 0)
    expect(await blobOf(compat, one, 0)).toBe(blob)
    const others = [await blobOf(strict, one, 1), await blobOf(strict, two, 0)]
    expect(new Set([blob, ...others]).size).toBe(3)
    // Not even the key that each was encrypted with is the same.
    const ephemeral = [blob, ...others].map((text) => text.slice(14, 14 + 130))
    expect(new Set(ephemeral).size).toBe(3)
  })

  test('the bundle for the relayer is tied to its intent', async () => {
    const intentId = (84532n << 64n) | 7n
    const request = { sourceChainId: 84532, encrypted: seal(), n: 0, intentId }
    const { encryptedData: ciphertext } = await strict.sealTrancheBundle(request)
    const open = (id: bigint) =>
      strict.openBundle({ ciphertext, sourceChainId: 84532, intentId: id })
    expect(await open(intentId)).toMatchObject({ recipients: [payee, other], amounts: [40n, 50n] })
    expect(await refusal(open(intentId + 1n))).toBe('BUNDLE_OF_ANOTHER_INTENT')
  })
})

describe('the end of an order', () => {
  async function cancel(by: typeof owner, text: (id: string, digest: string) => string) {
    const encrypted = seal()
    const orderId = keccak256(encrypted)
    const message = text(toApiOrderId(orderId), orderId.slice(2))
    const signature = await by.signMessage({ message })
    return { sourceChainId: 84532, orderId, by: { encrypted, message, signature } }
  }
  test('its owner’s word, for this order', async () => {
    const good = await cancel(owner, (id) => `TWAP_CANCEL:${id}:${NOW + 60}`)
    expect(await refusal(strict.signClose(good))).toBe('done')
    const bad = { ...good, orderId: keccak256(seal()) }
    expect(await refusal(strict.signClose(bad))).toBe('REQUEST_INVALID (orderId)')
    const elsewhere = { ...good, sourceChainId: ORDER.destChainId }
    expect(await refusal(strict.signClose(elsewhere))).toBe('ORDER_INVALID (sourceChainId)')
  })
  test('nowhere on a chain without a vault', async () => {
    const chains = chainsOf('strict').map((chain) => ({ ...chain, vault: undefined }))
    const without = await createEnclave({ roots: [ROOT], now: () => NOW, chains })
    const good = await cancel(owner, (id) => `TWAP_CANCEL:${id}:${NOW + 60}`)
    expect(await refusal(without.signClose(good))).toBe('CHAIN_NOT_CONFIGURED (vault)')
  })
  test('the word of a contract that accepts its signature', async () => {
    const isContractSignature = async () => true
    const options = { roots: [ROOT] as [Uint8Array], now: () => NOW, isContractSignature }
    const asking = await createEnclave({ ...options, chains: chainsOf('strict') })
    const good = await cancel(thief, (id) => `TWAP_CANCEL:${id}:${NOW + 60}`)
    expect(await refusal(asking.signClose(good))).toBe('done')
  })
  test('its owner’s word, even when its destination isn’t configured any more', async () => {
    const chains = chainsOf('strict').filter(({ chainId }) => chainId !== ORDER.destChainId)
    const later = await createEnclave({ roots: [ROOT], now: () => NOW, chains })
    const good = await cancel(owner, (id) => `TWAP_CANCEL:${id}:${NOW + 60}`)
    expect(await refusal(later.signClose(good))).toBe('done')
    const { encrypted } = good.by
    const message = `TWAP_READ:${toApiOrderId(good.orderId)}:${NOW}`
    const signature = await owner.signMessage({ message })
    const read = { sourceChainId: 84532, encrypted, message, signature }
    expect(await later.readOrder(read)).toMatchObject({ recipients: [payee, other] })
    const tranche = later.signTranche({ sourceChainId: 84532, encrypted, n: 0 })
    expect(await refusal(tranche)).toBe('ORDER_INVALID (destChainId)')
  })
  test.each([
    ['a stranger’s', 'SIGNER_MISMATCH', thief, (id: string) => `TWAP_CANCEL:${id}:${NOW + 60}`],
    ['lapsed', 'MESSAGE_REFUSED (LAPSED)', owner, (id: string) => `TWAP_CANCEL:${id}:${NOW}`],
    ['for nothing', 'MESSAGE_REFUSED (ORDER_NOT_NAMED)', owner, () => 'stop'],
    [
      'what ordered',
      'MESSAGE_REFUSED (ORDER_NOT_NAMED)',
      owner,
      (_: string, digest: string) => `TWAP_ORDER:${digest}:84532:${NOW + 60}`,
    ],
    [
      'what ordered in its own words',
      'MESSAGE_REFUSED (ORDER_NOT_NAMED)',
      owner,
      (id: string, digest: string) => `I order ${digest}, known as ${id}`,
    ],
    [
      'what reads',
      'MESSAGE_REFUSED (ORDER_NOT_NAMED)',
      owner,
      (id: string) => `TWAP_READ:${id}:${NOW}`,
    ],
  ])('not by a word that is %s', async (_, problem, by, text) => {
    expect(await refusal(strict.signClose(await cancel(by, text)))).toBe(problem)
  })
})

test('recipients are read by the owner alone, at about the time it says', async () => {
  const encrypted = seal()
  const id = toApiOrderId(keccak256(encrypted))
  const read = async (by: typeof owner, message: string) => {
    const signature = await by.signMessage({ message })
    return strict.readOrder({ sourceChainId: 84532, encrypted, message, signature })
  }
  expect(await read(owner, `TWAP_READ:${id}:${NOW - 200}`)).toEqual({
    recipients: [payee, other],
    amounts: [40n, 50n],
  })
  expect(await refusal(read(thief, `TWAP_READ:${id}:${NOW}`))).toBe('SIGNER_MISMATCH')
  for (const message of [
    `TWAP_READ:${id}:${NOW - 301}`,
    `TWAP_READ:twap-0:${NOW}`,
    // What earlier SDKs sign for the list of their orders.
    `TWAP_READ:${owner.address}:${NOW}`,
    'TWAP_READ',
  ]) {
    expect(await refusal(read(owner, message))).toBe('MESSAGE_REFUSED (ORDER_NOT_NAMED)')
  }
})

test('the gas account calls vaults and nothing else', async () => {
  const fees = { gas: 500_000n, maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 1n }
  const close = { abi: orderVaultAbi, functionName: 'closeOrder' } as const
  const data = encodeFunctionData({ ...close, args: [`0x${'01'.repeat(32)}`] })
  const good = { chainId: 84532, nonce: 4, to: vault, data, ...fees }
  const { serialized, from } = await strict.signOrderTransaction(good)
  expect(from).not.toBe((await strict.publicKeys()).relayer)
  const { value = 0n, ...sent } = parseTransaction(serialized as Hex)
  expect(value).toBe(0n)
  expect(sent).toMatchObject({ to: vault, nonce: 4 })
  const claim = encodeFunctionData({
    abi: orderVaultAbi,
    functionName: 'claim',
    args: [ORDER.assetIn as Hex, payee],
  })
  const filling = { ...good, to: from as Hex, data: '0x' as Hex }
  expect(await strict.signOrderTransaction(filling)).toMatchObject({ from })
  const bad = [
    { ...filling, data: '0x00' as Hex },
    { ...good, to: bridge },
    { ...good, to: payee, data: '0x' as Hex },
    { ...good, data: claim },
    { ...good, gas: 20_000_000n },
    { ...good, maxFeePerGas: 10n ** 15n },
  ]
  for (const one of bad) {
    expect(await refusal(strict.signOrderTransaction(one))).toBe('TRANSACTION_NOT_ALLOWED')
  }
})

import { encodeFunctionData, pad, toFunctionSelector } from 'viem'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { enclaveKeyRegistryAbi } from '../../../core/abi/enclaveKeyRegistry.ts'
import { deriveDevnetAccounts } from '../../../devnet/accounts.ts'
import type { Enclave, ResponseOf } from '../../../services/enclave/enclaveInterface.ts'
import type { Roots } from '../../../services/enclave/keys/rootFile.ts'
import { createMemoryStorage } from '../../../services/enclave/keys/sealedStorage.ts'
import { createRegisteredEnclaveKeys } from '../../../services/relayer/settlement/registeredEnclaveKeys.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { paramsHash } from '../../../src/event/paramsHash.ts'
import {
  acceptRoot,
  giveRoot,
  type OperatorApprovals,
} from '../../../tools/enclave/handoverCommands.ts'
import { moveFormerGas } from '../../../tools/enclave/moveFormerGas.ts'
import { combineShares, shareRoots } from '../../../tools/enclave/rootShares.ts'
import { readIntentOn } from '../../rig/attestedCalls.ts'
import { startFaultyRpc } from '../../rig/faultyRpc.ts'
import {
  ALICE,
  BOB,
  type EnclaveTestbed,
  ROOT,
  registerEnclaveOn,
  startEnclaveTestbed,
  THIEF,
} from './enclaveTestbed.ts'
import { registriesOf, signApprovals } from './signApprovals.ts'

let scene: EnclaveTestbed
beforeAll(async () => {
  scene = await startEnclaveTestbed()
})
afterAll(() => scene?.stop())

/** A won and delivered intent, told by this enclave. */
async function delivered(by: Enclave, publicKey?: Hex): Promise<bigint> {
  const blob = scene.sealed([ALICE, BOB], [5n, 6n], publicKey ? { publicKey } : {})
  const id = await scene.play.create(blob)
  await scene.anchor(id, { by })
  await scene.win(id)
  await scene.deliver(id, await by.revealToWinner({ intent: await scene.deep(id) }))
  return id
}

async function settleBy(by: Enclave, id: bigint): Promise<void> {
  await scene.settle(await by.attestSettlement(await scene.settlementEvidence(id, by)))
  expect(await readIntentOn(scene.base, id)).toMatchObject({ phase: 3 })
}

describe('the attestation key', () => {
  test('is rotated and no settlement waits: before, between and after the steps', async () => {
    const storage = createMemoryStorage()
    const enclave = await scene.enclaveOf({ storage }, 0)
    const ids = [await delivered(enclave), await delivered(enclave), await delivered(enclave)]
    const [before, between, after] = ids as [bigint, bigint, bigint]
    await settleBy(enclave, before)
    await expect(enclave.rotateAttester({ step: 'promote' })).rejects.toMatchObject({
      code: 'NO_NEXT_KEY',
    })
    const { attester: old, nextAttester } = await enclave.rotateAttester({ step: 'prepare' })
    expect(await enclave.rotateAttester({ step: 'prepare' })).toEqual({
      attester: old,
      nextAttester,
    })
    for (const chain of [scene.base, scene.horizen])
      await registerEnclaveOn(chain, enclave, 0, 'next')
    await settleBy(enclave, between)
    expect(await enclave.rotateAttester({ step: 'promote' })).toEqual({
      attester: nextAttester,
      nextAttester: null,
    })
    await settleBy(enclave, after)
    const restarted = await scene.enclaveOf({ storage })
    expect((await restarted.publicKeys()).attester).toBe(nextAttester)
  })

  test('is passed over by a relayer once it is revoked, except where several signatures are needed and the deposit came before', async () => {
    const enclave = await scene.enclaveOf({}, 0)
    const { attester } = await enclave.publicKeys()
    const { registry } = scene.base.contracts
    const keys = () => createRegisteredEnclaveKeys({ ...scene.base.config, registry })
    expect(await keys().countsAlone(attester, 'Settlement', null)).toBe(true)
    expect(await keys().countsAlone(attester, 'Anchor', null)).toBe(true)
    const operator = deriveDevnetAccounts().operators[0]
    const time = async () => Number((await scene.base.client.getBlock()).timestamp)
    const before = await time()
    expect(await keys().operatorOf(attester, before)).toBe(operator.address.toLowerCase())
    await scene.base.client.increaseTime({ seconds: 2 })
    await scene.base.client.request({
      method: 'anvil_autoImpersonateAccount',
      params: [true],
    } as never)
    const data = encodeFunctionData({
      abi: enclaveKeyRegistryAbi,
      functionName: 'revoke',
      args: [attester],
    })
    const request = { from: operator.address, to: registry, data }
    await scene.base.client.request({ method: 'eth_sendTransaction', params: [request] } as never)
    await scene.deepen()
    expect(await keys().countsAlone(attester, 'Settlement', null)).toBe(false)
    expect(await keys().countsAlone(attester, 'Anchor', null)).toBe(false)
    expect(await keys().countsAlone(attester, 'Settlement', before)).toBe(false)
    // A key that never counted, such as one that expired before the deposit.
    expect(await keys().countsAlone(BOB, 'Settlement', before)).toBe(false)
    // Where several are needed, it counts for what was deposited before.
    expect(await keys().operatorOf(attester, before)).toBe(operator.address.toLowerCase())
    expect(await keys().operatorOf(attester, await time())).toBeNull()
    expect(await keys().operatorOf(BOB, before)).toBeNull()
  })

  test('counts whatever one provider says of it, and a lie merges no operators', async () => {
    const keys = [await scene.enclaveOf({}, 0), await scene.enclaveOf({}, 1)]
    const signers = await Promise.all(keys.map(async (one) => (await one.publicKeys()).attester))
    const { registry } = scene.base.contracts
    const { rpc } = scene.base.node
    const liar = await startFaultyRpc(rpc)
    const honest = await startFaultyRpc(rpc)
    const keyOf = toFunctionSelector('keyOf(address)')
    const countsFor = toFunctionSelector('countsFor(address,uint256,uint256)')
    const merged = `${pad('0x1')}${pad(THIEF).slice(2)}`
    const zeros = (words: number) => `0x${'00'.repeat(32 * words)}`
    const revoked = `0x${pad(THIEF).slice(2)}${'00'.repeat(64)}${pad('0x1').slice(2)}${zeros(4).slice(2)}`
    try {
      for (const lie of [zeros(8), revoked]) {
        liar.inject(({ method, params }) => {
          const { to, data } = (params?.[0] ?? {}) as { to?: string; data?: string }
          if (method !== 'eth_call' || to?.toLowerCase() !== registry.toLowerCase()) return
          if (data?.startsWith(countsFor)) return { result: lie === revoked ? merged : zeros(2) }
          return { result: data?.startsWith(keyOf) ? lie : zeros(1) }
        })
        for (const others of [[rpc], [rpc, honest.url]]) {
          const rpcUrls = [liar.url, ...others]
          const read = createRegisteredEnclaveKeys({ ...scene.base.config, registry, rpcUrls })
          const operators = await Promise.all(
            signers.map((signer) => read.operatorOf(signer, null)),
          )
          expect(new Set(operators).size).toBe(2)
          expect(operators).not.toContain(null)
          for (const signer of signers) {
            expect(await read.countsAlone(signer, 'Settlement', null)).toBe(true)
            expect(await read.countsAlone(signer, 'Anchor', null)).toBe(true)
          }
          if (others.length < 2) continue
          const [first, second] = deriveDevnetAccounts().operators
          expect(operators).toEqual([first, second].map((one) => one?.address.toLowerCase()))
        }
      }
    } finally {
      await Promise.all([liar.close(), honest.close()])
    }
  })

  test('can’t be derived from the root: the root alone settles nothing', async () => {
    const thief = await scene.enclaveOf({ roots: [ROOT] })
    const id = await delivered(scene.enclave)
    const attested = await thief.attestSettlement(await scene.settlementEvidence(id, thief))
    await expect(scene.settle(attested)).rejects.toThrow()
    await settleBy(scene.enclave, id)
  })
})

describe('the root', () => {
  test('is rotated: old blobs still open, new ones use the new key, no settlement waits', async () => {
    const open = await delivered(scene.enclave)
    const roots: Roots = [new Uint8Array(32).fill(0x33), ROOT]
    const rotated = await scene.enclaveOf({ roots }, 1)
    const { eciesPublicKey, previousKeyIds } = await rotated.publicKeys()
    expect(previousKeyIds).toEqual([(await scene.enclave.publicKeys()).keyId])
    await settleBy(rotated, open)
    await settleBy(rotated, await delivered(rotated, eciesPublicKey))
    // A sender that has read the old key.
    await settleBy(rotated, await delivered(rotated))
  })

  test('is rotated: without the new root, no enclave anchors earlier recipients over the sender’s call', async () => {
    const roots: Roots = [new Uint8Array(32).fill(0x33), ROOT]
    const rotated = await scene.enclaveOf({ roots })
    const { eciesPublicKey } = await rotated.publicKeys()
    const id = await scene.play.create(scene.sealed([BOB], [5n]))
    const named = { publicKey: eciesPublicKey as Hex, n: 1, intentId: id }
    await scene.play.name(id, scene.sealed([ALICE], [5n], named))
    const request = { intent: await scene.evidence(id), tickets: [] }
    await expect(scene.enclave.signAnchor(request)).rejects.toMatchObject({ code: 'KEY_MISSING' })
    const { encryptedBlob: blob } = await rotated.signAnchor(request)
    const { base, sender, params } = scene
    const { bridge } = base.contracts
    const at = { bridge, user: sender }
    const terms = paramsHash({ chainId: base.chainId, ...at, ...params })
    const expected = { sourceChainId: base.chainId, ...at, paramsHash: terms, intentId: id }
    expect(await rotated.openBlob({ blob, expected })).toMatchObject({
      contents: { recipients: [ALICE] },
    })
  })

  test('leaves gas accounts whose coins one command moves to the new ones, and nowhere else', async () => {
    const roots: Roots = [new Uint8Array(32).fill(0x33), ROOT]
    const rotated = await scene.enclaveOf({ roots })
    const { chainId } = scene.base.config
    const { client } = scene.base
    const [{ relayer: former }, { account: formerOrders }] = await Promise.all([
      scene.enclave.publicKeys(),
      scene.enclave.orderKeys(),
    ])
    const { relayer } = await rotated.publicKeys()
    await client.setBalance({ address: former, value: 10n ** 18n })
    await client.setBalance({ address: formerOrders, value: 1n })
    const before = await client.getBalance({ address: relayer })
    const shown: object[] = []
    const [moved, kept] = await moveFormerGas(rotated, scene.base.config, (one) => shown.push(one))
    expect(shown).toEqual([moved])
    await client.mine({ blocks: 1 })
    expect(moved).toMatchObject({ from: former, to: relayer, balance: String(10n ** 18n) })
    expect(BigInt(moved!.sent)).toBeGreaterThan((99n * 10n ** 18n) / 100n)
    expect((await client.getBalance({ address: relayer })) - before).toBe(BigInt(moved!.sent))
    expect(kept).toMatchObject({ from: formerOrders, balance: '1', sent: '0', transaction: null })

    const fees = { gas: 21_000n, maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 1n }
    // One account's transaction that isn't mined yet keeps no other's coins.
    await client.setBalance({ address: former, value: 10n ** 18n })
    await client.setBalance({ address: formerOrders, value: 10n ** 18n })
    await client.setAutomine(false)
    const { serialized } = await scene.enclave.signTransaction({
      ...{ chainId, nonce: await client.getTransactionCount({ address: former }) },
      ...{ to: former, data: '0x', gas: 21_000n, maxFeePerGas: 10n ** 10n },
      maxPriorityFeePerGas: 1n,
    })
    await client.sendRawTransaction({ serializedTransaction: serialized as Hex })
    shown.length = 0
    const halted = moveFormerGas(rotated, scene.base.config, (one) => shown.push(one))
    await expect(halted).rejects.toThrow(`transactions of ${former} are still under way`)
    expect(shown).toMatchObject([{ from: formerOrders }])
    await client.mine({ blocks: 1 })
    await client.setAutomine(true)
    const transfer = { chainId, nonce: 0, value: 1n, ...fees }
    for (const change of [{ from: relayer }, { from: THIEF }, { maxFeePerGas: 10n ** 18n }]) {
      const request = { ...transfer, from: former, ...change }
      await expect(rotated.signFormerGasTransfer(request)).rejects.toMatchObject({
        code: 'TRANSACTION_NOT_ALLOWED',
      })
    }
    const greedy = await startFaultyRpc(scene.base.node.rpc)
    onTestFinished(() => greedy.close())
    greedy.inject(({ method }) =>
      method === 'eth_maxPriorityFeePerGas' ? { result: '0xe8d4a51000' } : undefined,
    )
    await client.setBalance({ address: former, value: 10n ** 18n })
    const overpaid = { ...scene.base.config, rpcUrls: [greedy.url, scene.base.node.rpc] }
    await expect(moveFormerGas(rotated, overpaid, () => {})).rejects.toThrow(
      /wants 1\d{3}\S* gwei for gas, above the chain’s maxFeeGwei/,
    )
    const without = moveFormerGas(scene.enclave, scene.base.config, () => {})
    await expect(without).rejects.toThrow('no earlier root')
  })

  test('is restored from three of five shares, and gives the same recipients', async () => {
    const id = await delivered(scene.enclave)
    const shares = await shareRoots([ROOT], 5, 3)
    const restored = await scene.enclaveOf({ roots: await combineShares(shares.slice(2)) })
    const intent = await scene.deep(id)
    const [before, after] = [
      await scene.enclave.revealToWinner({ intent }),
      await restored.revealToWinner({ intent }),
    ]
    expect(after.sealed).toBe(before.sealed)
    await settleBy(scene.enclave, id)
  })
})

describe('another enclave', () => {
  const registries = () => registriesOf([scene.base, scene.horizen])
  const words = (request: ResponseOf<'requestRoot'>, count: number) =>
    signApprovals([scene.base, scene.horizen], request, count)

  const give = (request: ResponseOf<'requestRoot'>, said: OperatorApprovals) =>
    giveRoot(scene.enclave, registries(), request, said)

  test('gets the root if registries and operators approve it, and then signs the same bytes', async () => {
    const other = await scene.enclaveOf({ roots: [] }, 1)
    await expect(other.publicKeys()).rejects.toMatchObject({ code: 'NO_ROOT' })
    await scene.deepen()
    const request = await other.requestRoot()
    const gift = await give(request, await words(request, 2))
    await acceptRoot(other, registries(), gift)
    const [keys, own] = [await other.publicKeys(), await scene.enclave.publicKeys()]
    expect(keys).toMatchObject({ eciesPublicKey: own.eciesPublicKey, keyId: own.keyId })
    expect(keys.attester).not.toBe(own.attester)
    const id = await delivered(scene.enclave)
    const intent = await scene.deep(id)
    const [one, two] = [
      await scene.enclave.revealToWinner({ intent }),
      await other.revealToWinner({ intent }),
    ]
    expect(two.sealed).toBe(one.sealed)
    await settleBy(other, id)
    await expect(acceptRoot(other, registries(), gift)).rejects.toMatchObject({
      code: 'HANDOVER_REFUSED',
    })
  })

  test('gets nothing with one operator’s signature, a stranger’s, or for another key', async () => {
    const other = await scene.enclaveOf({ roots: [] }, 1)
    await scene.deepen()
    const request = await other.requestRoot()
    const REFUSED = { code: 'HANDOVER_REFUSED', field: 'operators' }
    await expect(give(request, await words(request, 1))).rejects.toMatchObject(REFUSED)
    const twice = await words(request, 1)
    for (const word of Object.values(twice)) word.signatures.push(word.signatures[0]!)
    await expect(give(request, twice)).rejects.toMatchObject(REFUSED)
    const another = await (await scene.enclaveOf({ roots: [] })).requestRoot()
    await expect(give(request, await words(another, 2))).rejects.toMatchObject(REFUSED)
    const swapped = { ...request, transportKey: another.transportKey }
    await expect(give(swapped, await words(swapped, 2))).rejects.toMatchObject({
      code: 'SIGNATURE_INVALID',
    })
  })

  test('gets nothing while its key isn’t registered, or with approvals that are too old', async () => {
    const unknown = await scene.enclaveOf({ roots: [] })
    const request = await unknown.requestRoot()
    await expect(give(request, await words(request, 2))).rejects.toMatchObject({
      code: 'HANDOVER_REFUSED',
      field: 'inactive',
    })
    const known = await scene.enclaveOf({ roots: [] }, 1)
    await scene.deepen()
    const asked = await known.requestRoot()
    const said = await words(asked, 2)
    // Evidence of now, given when 300 blocks have passed.
    const late: Pick<Enclave, 'handOverRoot'> = {
      async handOverRoot(given) {
        for (const { client } of [scene.base, scene.horizen]) await client.mine({ blocks: 300 })
        return scene.enclave.handOverRoot(given)
      },
    }
    await expect(giveRoot(late, registries(), asked, said)).rejects.toMatchObject({
      code: 'HANDOVER_REFUSED',
      field: 'stale',
    })
  })

  test('accepts a root only from an enclave', async () => {
    const fresh = await scene.enclaveOf({ roots: [] }, 1)
    await scene.deepen()
    const request = await fresh.requestRoot()
    // Somebody who has no registered key, and gives a root of its own.
    const stranger = await scene.enclaveOf({ roots: [new Uint8Array(32).fill(0x66)] })
    const gift = await giveRoot(stranger, registries(), request, await words(request, 2))
    await expect(acceptRoot(fresh, registries(), gift)).rejects.toMatchObject({
      code: 'HANDOVER_REFUSED',
      field: 'inactive',
    })
    const { signer } = await scene.enclave.requestRoot()
    await expect(acceptRoot(fresh, registries(), { ...gift, signer })).rejects.toMatchObject({
      code: 'SIGNATURE_INVALID',
    })
  })
})

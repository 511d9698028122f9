import { concat, hexToBytes, keccak256, numberToHex, pad } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import committed from '../../../contracts/storageLayout.json' with { type: 'json' }
import { readDelivery } from '../../../core/proof/storage/deliveryRecord.ts'
import {
  isActiveKey,
  isListedOperator,
  readEnclaveKey,
  readOperatorCount,
} from '../../../core/proof/storage/enclaveKeyRecord.ts'
import { decodeRecordHead, readIntentRecord } from '../../../core/proof/storage/intentRecord.ts'
import { readOrderRecord } from '../../../core/proof/storage/orderRecord.ts'
import {
  findStateRoot,
  StorageProofError,
  verifyStorageProof,
} from '../../../core/proof/storage/storageProof.ts'
import {
  findDeliverySlot,
  listEnclaveKeySlots,
  listIntentSlots,
  listRecordSlots,
  listSealingKeySlots,
} from '../../../core/proof/storage/storageSlots.ts'
import { deriveDevnetAccounts } from '../../../devnet/accounts.ts'
import type { StorageEvidence } from '../../../services/enclave/enclaveInterface.ts'
import { orderVaultAbi } from '../../../src/event/abi/orderVault.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { foldBlobsHash, NO_BLOBS } from '../../../src/event/foldBlobsHash.ts'
import { LARGE_SCOPES } from '../../model/explorationScopes.ts'
import { replayOn } from '../../model/replayOnContracts.ts'
import { readIntentOn } from '../../rig/attestedCalls.ts'
import type { BridgeChain } from '../indexer/bridgePair.ts'
import {
  ALICE,
  AMOUNT_B,
  type EnclaveTestbed,
  readProof,
  startEnclaveTestbed,
} from './enclaveTestbed.ts'

let scene: EnclaveTestbed
beforeAll(async () => {
  scene = await startEnclaveTestbed()
})
afterAll(() => scene?.stop())

const PHASES = ['none', 'open', 'deposited', 'settled', 'cancelled', 'refunded']

/** Opens a node's proof under the state root that the same node says the block has. */
async function open({ client, contracts }: BridgeChain, evidence: StorageEvidence, of?: Hex) {
  const block = await client.getBlock({ blockNumber: BigInt(evidence.blockNumber) })
  return verifyStorageProof(block.stateRoot, of ?? contracts.bridge, nodesOf(evidence))
}

function nodesOf({ accountProof, storageProofs }: StorageEvidence) {
  return {
    accountProof: accountProof.map((node) => hexToBytes(node as Hex)),
    storageProofs: storageProofs.map(({ proof }) => ({
      proof: proof.map((node) => hexToBytes(node as Hex)),
    })),
  }
}

/** A record as proofs show it, and what the contract's own getter says. */
async function bothOf(id: bigint) {
  const { base } = scene
  const evidence = await scene.evidence(id)
  const storage = await open(base, evidence)
  const { bridge } = base.contracts
  const at = { chainId: base.chainId, bridge, intentId: id }
  return {
    proven: (await readIntentRecord(storage, at))!,
    said: await readIntentOn(base, id),
    storage,
  }
}

async function expectSame(id: bigint) {
  const { proven, said } = await bothOf(id)
  const lower = (hex: Hex) => hex.toLowerCase()
  expect(proven).toMatchObject({
    sender: lower(said.sender),
    tokenA: lower(said.tokenA),
    tokenB: lower(said.tokenB),
    amountA: said.amountA,
    expectedAmountB: said.expectedAmountB,
    reward: said.reward,
    destChainId: Number(said.destChainId),
    auctionDuration: Number(said.auctionDuration),
    endTime: Number(said.endTime),
    phase: PHASES[said.phase],
    feeBps: said.feeBps,
    recipientClass: said.recipientClass,
    quorum: said.quorum,
    named: said.named,
    blobAtCreation: said.blobAtCreation,
    asked: said.asked,
    revealed: said.revealed,
    solver: lower(said.solver),
    amountB: said.amountB,
    blobsHash: said.blobsHash,
    fillDeadline: Number(said.fillDeadline),
    paramsHash: said.paramsHash,
  })
  return proven
}

describe('an intent’s proven state equals the contract’s', () => {
  test('in every phase, with every flag', async () => {
    const { play } = scene
    const id = await play.create(scene.sealed([ALICE], [AMOUNT_B]))
    expect(await expectSame(id)).toMatchObject({ phase: 'open', feeBps: 0, blobAtCreation: true })
    await scene.anchor(id)
    expect(await expectSame(id)).toMatchObject({ feeBps: 250, recipientClass: 1 })
    await play.name(id)
    expect(await expectSame(id)).toMatchObject({ named: true })
    await scene.win(id, 77n)
    expect(await expectSame(id)).toMatchObject({ phase: 'deposited', amountB: AMOUNT_B + 77n })
    await play.letQuartersPass(1)
    await play.ask(id)
    expect(await expectSame(id)).toMatchObject({ asked: true })
    await play.letQuartersPass(1)
    await play.reveal(id, '0x1234')
    expect(await expectSame(id)).toMatchObject({ revealed: true })
    const undone = await play.create()
    expect(await expectSame(undone)).toMatchObject({ blobAtCreation: false, blobsHash: NO_BLOBS })
    await play.cancel(undone)
    expect(await expectSame(undone)).toMatchObject({ phase: 'cancelled' })
  })

  test('its blobs fold as in the contract, including an empty anchor', async () => {
    const { play } = scene
    const blob = scene.sealed([ALICE], [AMOUNT_B])
    const id = await play.create(blob)
    const created = foldBlobsHash(NO_BLOBS, 1, blob)
    expect((await bothOf(id)).proven.blobsHash).toBe(created)
    await scene.anchor(id)
    const anchored = foldBlobsHash(created, 2, '0x')
    expect((await bothOf(id)).proven.blobsHash).toBe(anchored)
    await play.append(id, '0xabcd')
    const appended = foldBlobsHash(anchored, 3, '0xabcd')
    expect((await bothOf(id)).proven.blobsHash).toBe(appended)
    await play.name(id, '0xef')
    expect((await bothOf(id)).proven.blobsHash).toBe(foldBlobsHash(appended, 4, '0xef'))
  })

  test('a sealing key belongs to the solver', async () => {
    const { base } = scene
    const [solver] = deriveDevnetAccounts().solvers
    const storage = await open(base, await readProof(base, listSealingKeySlots(solver!.address)))
    const words = await Promise.all(listSealingKeySlots(solver!.address).map(storage.read))
    const key = words.map((word) => numberToHex(word, { size: 32 }).slice(2)).join('')
    expect(`0x04${key}`).toBe(solver!.publicKey)
  })

  test('an absent intent is proven absent', async () => {
    const { base } = scene
    const intentId = (BigInt(base.chainId) << 64n) | 999_999n
    const slots = listIntentSlots({ intentId, tokenIndex: 0, destinationIndex: 0 })
    const storage = await open(base, await readProof(base, slots))
    expect(await storage.read(listRecordSlots(intentId)[0]!)).toBe(0n)
    const at = { chainId: base.chainId, bridge: base.contracts.bridge, intentId }
    expect(await readIntentRecord(storage, at)).toBeNull()
    expect(decodeRecordHead(0n)?.phase).toBe('none')
  })
})

describe('a delivery’s proven state', () => {
  test('is its number and block time, or its absence', async () => {
    const { play, enclave, horizen } = scene
    const id = await play.create(scene.sealed([ALICE], [AMOUNT_B]))
    await scene.anchor(id)
    await scene.win(id)
    const revealed = await enclave.revealToWinner({ intent: await scene.deep(id) })
    const proofNow = () => readProof(horizen, [findDeliverySlot(revealed.deliveryKey)])
    const before = await open(horizen, await proofNow())
    expect(await readDelivery(before, revealed.deliveryKey)).toBeNull()
    const { blockNumber } = await scene.deliver(id, revealed)
    const { timestamp } = await horizen.client.getBlock({ blockNumber })
    const delivery = await readDelivery(await open(horizen, await proofNow()), revealed.deliveryKey)
    expect(delivery).toMatchObject({ solvedAt: Number(timestamp) })
  })
})

describe('an enclave key’s proven state', () => {
  test('is its registration, its operator and whether it is active', async () => {
    const { base, enclave } = scene
    const { registry } = base.contracts
    const { attester, eciesPublicKey } = await enclave.publicKeys()
    const operators = deriveDevnetAccounts().operators.map(({ address }) => address)
    const stranger = deriveDevnetAccounts().guests[0]!.address
    const slots = listEnclaveKeySlots({
      signer: attester,
      generation: 0,
      operators: [...operators, stranger],
    })
    // Which generation the key is of says the key.
    const first = await open(base, await readProof(base, slots, { address: registry }), registry)
    const key = await readEnclaveKey(first, attester)
    expect(key).toMatchObject({ operator: operators[0]!.toLowerCase(), eciesPublicKey })
    const all = listEnclaveKeySlots({
      signer: attester,
      generation: key.generation,
      operators: [...operators, stranger],
    })
    const storage = await open(base, await readProof(base, all, { address: registry }), registry)
    const { timestamp } = await base.client.getBlock()
    const now = Number(timestamp)
    expect(await isActiveKey(storage, key, now)).toBe(true)
    expect(await isActiveKey(storage, key, key.activation - 1)).toBe(false)
    expect(await isActiveKey(storage, key, key.expiry)).toBe(false)
    expect(await isListedOperator(storage, operators[1]!, now)).toBe(true)
    expect(await isListedOperator(storage, stranger, now)).toBe(false)
    expect(await readOperatorCount(storage)).toBe(3)
  })
})

describe('an order’s proven state, by the committed layout', () => {
  const { variables, structs } = committed.OrderVault
  const [orders, credits] = variables.map(({ slot }) => BigInt(slot))
  const members = structs.Record
  const mappingSlot = (key: Hex, slot: Hex) => keccak256(concat([pad(key), slot]))
  const wordOf = (value: bigint) => numberToHex(value, { size: 32 })

  /** Each member's value, cut out of the proven words. */
  async function provenOrder(orderId: Hex) {
    const { base } = scene
    const { vault } = base.contracts
    const first = BigInt(mappingSlot(orderId, wordOf(orders!)))
    const slots = [0n, 1n, 2n, 3n].map((at) => wordOf(first + at))
    const storage = await open(base, await readProof(base, slots, { address: vault }), vault)
    const words = await Promise.all(slots.map(storage.read))
    const values = members.map(({ name, slot, offsetBits, bits }) => [
      name,
      (words[slot]! >> BigInt(offsetBits)) & ((1n << BigInt(bits)) - 1n),
    ])
    return { ...Object.fromEntries(values), record: await readOrderRecord(storage, orderId) }
  }

  async function saidOrder(orderId: Hex) {
    const { client, contracts } = scene.base
    const said = await client.readContract({
      address: contracts.vault,
      abi: orderVaultAbi,
      functionName: 'getOrder',
      args: [orderId],
    })
    const { owner, token, tokenB, quorum, closed, ...amounts } = said
    const [stage, number] = [closed ? 2n : 1n, BigInt(quorum)]
    const accounts = { owner: BigInt(owner), token: BigInt(token), tokenB: BigInt(tokenB) }
    return { ...amounts, ...accounts, stage, quorum: number }
  }

  test('equals the vault’s: funded, with a tranche fired, and closed', async () => {
    const { play } = scene
    const orderId = await play.fundOrder(77)
    const funded = await provenOrder(orderId)
    expect(funded).toMatchObject({ ...(await saidOrder(orderId)), record: { stage: 'open' } })
    await play.fireTranche(orderId, 0)
    const fired = await provenOrder(orderId)
    expect(fired).toMatchObject({ ...(await saidOrder(orderId)), fired: 1n })
    expect(fired.lastFiredAt).toBeGreaterThan(0n)
    await play.leaveOrder(orderId)
    const closed = await provenOrder(orderId)
    expect(closed).toMatchObject({ ...(await saidOrder(orderId)), left: 0n, stage: 2n })
    expect(closed.record).toMatchObject({
      stage: 'closed',
      owner: deriveDevnetAccounts().senders[0]!.address.toLowerCase(),
    })
  })

  test('is empty without an order, and has no credit unless a transfer was refused', async () => {
    const { base } = scene
    const { vault, tokens } = base.contracts
    expect(await provenOrder(keccak256('0x01'))).toMatchObject({ stage: 0n, owner: 0n, left: 0n })
    const owner = deriveDevnetAccounts().senders[0]!.address
    const slot = mappingSlot(tokens.USDC, mappingSlot(owner, wordOf(credits!)))
    const storage = await open(base, await readProof(base, [slot], { address: vault }), vault)
    expect(await storage.read(slot)).toBe(0n)
  })
})

describe('proof nodes that don’t match are refused', () => {
  test('if missing, truncated, changed, or of another root, contract or slot', async () => {
    const { base, horizen, play } = scene
    const id = await play.create()
    const { proof } = { proof: await scene.evidence(id) }
    const { stateRoot } = await base.client.getBlock({ blockNumber: BigInt(proof.blockNumber) })
    const nodes = nodesOf(proof)
    const slot = listRecordSlots(id)[0]!
    expect(findStateRoot(nodes.accountProof)).toBe(stateRoot)
    const readBy = async (root: Hex, contract: Hex, given: ReturnType<typeof nodesOf>) =>
      (await verifyStorageProof(root, contract, given)).read(slot)
    const { bridge } = base.contracts
    expect(await readBy(stateRoot, bridge, nodes)).toBeGreaterThan(0n)

    const refused = async (given: ReturnType<typeof nodesOf>, root = stateRoot, of = bridge) =>
      expect(readBy(root, of as Hex, given)).rejects.toBeInstanceOf(StorageProofError)
    await refused({ accountProof: [], storageProofs: [] })
    await refused({ ...nodes, storageProofs: [] })
    await refused({ ...nodes, accountProof: nodes.accountProof.slice(0, 1) })
    for (const [at] of nodes.accountProof.entries()) {
      const accountProof = nodes.accountProof.map((node, i) => (i === at ? flipped(node) : node))
      await refused({ ...nodes, accountProof })
    }
    for (const depth of [0, 1]) {
      const storageProofs = nodes.storageProofs.map(({ proof: path }) => ({
        proof: path.map((node, i) => (i === depth ? flipped(node) : node)),
      }))
      await refused({ ...nodes, storageProofs })
      const cut = nodes.storageProofs.map(({ proof: path }) => ({ proof: path.slice(0, depth) }))
      await refused({ ...nodes, storageProofs: cut })
    }
    const { stateRoot: other } = await horizen.client.getBlock()
    await refused(nodes, other)
    await refused(nodes, stateRoot, base.contracts.registry)
    // A slot that the nodes say nothing about is not an empty one.
    const storage = await verifyStorageProof(stateRoot, bridge, nodes)
    const unknown = Array.from({ length: 40 }, (_, i) => keccak256(numberToHex(i)))
    const outcomes = await Promise.allSettled(unknown.map(storage.read))
    expect(outcomes.some(({ status }) => status === 'rejected')).toBe(true)
  })
})

function flipped(node: Uint8Array): Uint8Array {
  const changed = Uint8Array.from(node)
  changed[changed.length - 1]! ^= 1
  return changed
}

test('the model’s bridge accepts, refuses and stores the same as the compiled contract', async () => {
  const scope = LARGE_SCOPES[0]!
  const report = await replayOn(scene, scope, { seed: 40, walks: 6, steps: 40 })
  expect(report.differences).toEqual([])
  expect(report.calls).toBeGreaterThan(40)
  expect(report.refused).toBeGreaterThan(20)
})

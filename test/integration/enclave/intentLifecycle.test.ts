import { decrypt } from 'eciesjs'
import { hexToBytes, zeroHash } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listOrderSlots } from '../../../core/proof/storage/orderRecord.ts'
import { predictSafe } from '../../../core/safe/predictSafe.ts'
import { decodePayments } from '../../../core/settlement/encodePayments.ts'
import { deriveDevnetAccounts } from '../../../devnet/accounts.ts'
import {
  deriveStealthKeyChallenge,
  deriveStealthKeyMessage,
} from '../../../sdk/messages/deriveStealthKeyMessages.ts'
import { registerRecipientMessage } from '../../../sdk/messages/registerRecipientMessage.ts'
import { storeRecipientsMessage } from '../../../sdk/messages/storeRecipientsMessage.ts'
import { paramsHash } from '../../../src/event/paramsHash.ts'
import { readIntentOn } from '../../rig/attestedCalls.ts'
import {
  ALICE,
  AMOUNT_B,
  BOB,
  type EnclaveTestbed,
  readProof,
  startEnclaveTestbed,
} from './enclaveTestbed.ts'

let scene: EnclaveTestbed
beforeAll(async () => {
  scene = await startEnclaveTestbed()
})
afterAll(() => scene?.stop())

const SPLIT = [AMOUNT_B / 3n, AMOUNT_B / 3n]

/** A bundle that isn't on chain, signed by the intent's sender unless it says otherwise. */
async function proposalOf(
  id: bigint,
  recipients: `0x${string}`[],
  amounts: bigint[],
  n = 1,
  isSigned = true,
) {
  const { base, sender, params, enclave } = scene
  const { bridge } = base.contracts
  const about = {
    sourceChainId: base.chainId,
    paramsHash: paramsHash({ chainId: base.chainId, bridge, user: sender, ...params }),
    n,
    recipients,
    amounts,
    salt: zeroHash,
  }
  const message = storeRecipientsMessage({ ...about, intentId: id })
  const signature = await deriveDevnetAccounts().senders[0]!.signMessage!({ message })
  const more = { bridge, user: sender, createdAt: 1_700_000_000, ...(isSigned && { signature }) }
  const { blob } = await enclave.sealBlob({ ...about, ...more })
  return blob
}

/** Mines a block of the source chain at this time. */
async function mineAt(timestamp: number | bigint): Promise<void> {
  const { client } = scene.base
  await client.setNextBlockTimestamp({ timestamp: BigInt(timestamp) })
  await client.mine({ blocks: 1 })
}

describe('an intent', () => {
  test('is anchored, revealed to its winner, delivered and settled by the enclave’s signatures', async () => {
    const { play, enclave, base } = scene
    const id = await play.create(scene.sealed([ALICE, BOB], SPLIT))
    const anchored = await scene.anchor(id)
    expect(anchored).toMatchObject({ encryptedBlob: '0x', replaced: [] })
    expect(anchored.message).toMatchObject({ feeBps: 250, recipientClass: 2 })
    await scene.win(id)

    const revealed = await enclave.revealToWinner({ intent: await scene.deep(id) })
    expect(revealed.recipients).toEqual([ALICE, BOB])
    expect(revealed.amounts.reduce((sum, amount) => sum + amount)).toBe(AMOUNT_B + 1n)
    await scene.deliver(id, revealed)
    const settled = await enclave.attestSettlement(await scene.settlementEvidence(id))
    await scene.settle(settled)
    expect(await readIntentOn(base, id)).toMatchObject({ phase: 3 })
  })

  test('has recipients that the winner opens with its sealing key, and that the bridge accepts', async () => {
    const { play, enclave } = scene
    const id = await play.create(scene.sealed([ALICE, BOB], SPLIT))
    await scene.anchor(id)
    await scene.win(id)
    const revealed = await enclave.revealToWinner({ intent: await scene.deep(id) })
    const key = hexToBytes(deriveDevnetAccounts().solvers[0]!.privateKey)
    const opened = decodePayments(decrypt(key, hexToBytes(revealed.sealed)))
    expect(opened).toEqual({ recipients: revealed.recipients, amounts: revealed.amounts })
    await play.letQuartersPass(1)
    await play.ask(id)
    await play.letQuartersPass(1)
    await scene.reveal(revealed)
    expect(await readIntentOn(scene.base, id)).toMatchObject({ revealed: true })
  })

  test('with a proposal by the sender’s signature is anchored with it, and an append replaces it', async () => {
    const { play, enclave } = scene
    const id = await play.create()
    await scene.anchor(id, { proposal: await proposalOf(id, [ALICE], [AMOUNT_B]) })
    await scene.append(id, { proposal: await proposalOf(id, [BOB], [AMOUNT_B], 2) })
    await scene.win(id)
    const { recipients } = await enclave.revealToWinner({ intent: await scene.deep(id) })
    expect(recipients).toEqual([BOB])
  })

  test('is anchored once, and appended to only afterwards', async () => {
    const { play, enclave } = scene
    const id = await play.create(scene.sealed([ALICE], [AMOUNT_B]))
    const proposal = await proposalOf(id, [BOB], [AMOUNT_B])
    const request = async () => ({ intent: await scene.evidence(id), tickets: [], proposal })
    const wrong = (field: string) => ({ code: 'WRONG_PHASE', field })
    await expect(enclave.signAppend(await request())).rejects.toMatchObject(wrong('open'))
    await scene.anchor(id)
    await expect(enclave.signAnchor(await request())).rejects.toMatchObject(wrong('anchored'))
  })

  test('gets no anchor of a proposal under a key that the enclave lacks, nor a blob after an anchor under it', async () => {
    const { play } = scene
    const id = await play.create()
    const unreadable: `0x${string}` = `0x0101deadbeef${'00'.repeat(506)}`
    await expect(scene.anchor(id, { proposal: unreadable })).rejects.toMatchObject({
      code: 'DECRYPTION_FAILED',
      field: 'proposal',
    })
    await play.anchor(id, { blob: unreadable })
    const proposal = await proposalOf(id, [ALICE], [AMOUNT_B])
    await expect(scene.append(id, { proposal })).rejects.toMatchObject({ code: 'KEY_MISSING' })
  })

  test('has blobs that disclose the class of its recipients, not their number', async () => {
    const { play, enclave } = scene
    const id = await play.create()
    const lengthOf = ({ encryptedBlob }: { encryptedBlob: string }) => encryptedBlob.length
    const of = (count: number, n: number) =>
      proposalOf(id, Array(count).fill(ALICE), Array(count).fill(5n), n)
    const anchored = await scene.anchor(id, { proposal: await of(128, 1) })
    const intent = await scene.evidence(id)
    const append = async (count: number) =>
      enclave.signAppend({ intent, tickets: [], proposal: await of(count, 2) })
    for (const count of [1, 65, 127]) expect(lengthOf(await append(count))).toBe(lengthOf(anchored))
  })

  test('gets no other recipients from the end of its auction on', async () => {
    const { play, enclave, base } = scene
    const id = await play.create()
    await scene.anchor(id, { proposal: await proposalOf(id, [ALICE], [AMOUNT_B]) })
    const proposal = await proposalOf(id, [BOB], [AMOUNT_B], 2)
    const append = async () =>
      enclave.signAppend({ intent: await scene.evidence(id), tickets: [], proposal })
    const { endTime } = await readIntentOn(base, id)
    await mineAt(endTime - 1n)
    expect(await append()).toMatchObject({ message: { intentId: id } })
    await mineAt(endTime)
    await expect(append()).rejects.toMatchObject({ code: 'WRONG_PHASE', field: 'firm' })
  })

  test('of a chain in compat is anchored without a signature only once others had the time to arrive', async () => {
    const { play, base } = scene
    const chains = scene.chains.map((chain) => ({ ...chain, mode: 'compat' as const }))
    const compat = await scene.enclaveOf({ chains })
    const id = await play.create()
    const proposal = await proposalOf(id, [ALICE], [AMOUNT_B], 1, false)
    const anchor = async (by = compat) =>
      by.signAnchor({ intent: await scene.evidence(id), tickets: [], proposal })
    const { endTime, auctionDuration } = await readIntentOn(base, id)
    const createdAt = endTime - BigInt(auctionDuration)
    await mineAt(createdAt + 19n)
    await expect(anchor()).rejects.toMatchObject({ code: 'TOO_EARLY' })
    await mineAt(createdAt + 20n)
    expect(await anchor()).toMatchObject({ message: { recipientClass: 1 } })
    await expect(anchor(scene.enclave)).rejects.toMatchObject({ code: 'SIGNATURE_REQUIRED' })
  })

  test('whose sender names others by a call, until the recipients are firm, pays these', async () => {
    const { play, enclave, base } = scene
    const id = await play.create(scene.sealed([ALICE], [AMOUNT_B]))
    await scene.anchor(id)
    await play.name(id, scene.sealed([BOB], [AMOUNT_B], { n: 1, intentId: id }))
    await scene.win(id)
    const intent = await scene.deep(id)
    expect((await enclave.revealToWinner({ intent })).recipients).toEqual([BOB])
    expect(await readIntentOn(base, id)).toMatchObject({ named: true })
  })

  test('that nobody delivers is attested as undelivered after the deadline, and refunded', async () => {
    const { play, enclave, base } = scene
    const id = await play.create(scene.sealed([ALICE], [AMOUNT_B]))
    await scene.anchor(id)
    await scene.win(id)
    const early = await scene.settlementEvidence(id)
    // The field says that later evidence may do, rather than that a node has invented the block.
    await expect(enclave.attestNotDelivered(early)).rejects.toMatchObject({
      code: 'NOT_CONFIRMED',
      field: 'fillDeadline',
    })
    await expect(enclave.attestSettlement(early)).rejects.toMatchObject({ code: 'NOT_DELIVERED' })
    await scene.passDeadline(id)
    const evidence = await scene.settlementEvidence(id)
    await scene.refundUndelivered(await enclave.attestNotDelivered(evidence))
    expect(await readIntentOn(base, id)).toMatchObject({ phase: 5 })
  })

  test('that is delivered too late is not settled, and one in time is not refunded', async () => {
    const { play, enclave } = scene
    const [late, punctual] = [
      await play.create(scene.sealed([ALICE], [AMOUNT_B])),
      await play.create(scene.sealed([ALICE], [AMOUNT_B])),
    ]
    for (const id of [late, punctual]) await scene.anchor(id)
    for (const id of [late, punctual]) await play.bid(id)
    await play.endAuction()
    for (const id of [late, punctual]) await play.deposit(id)
    await scene.deepen()
    const revealedOf = async (id: bigint) =>
      enclave.revealToWinner({ intent: await scene.deep(id) })
    await scene.deliver(punctual, await revealedOf(punctual))
    await scene.passDeadline(late)
    await scene.deliver(late, await revealedOf(late))
    const [lateNow, punctualNow] = [
      await scene.settlementEvidence(late),
      await scene.settlementEvidence(punctual),
    ]
    await expect(enclave.attestSettlement(lateNow)).rejects.toMatchObject({ code: 'NOT_DELIVERED' })
    await expect(enclave.attestNotDelivered(punctualNow)).rejects.toMatchObject({
      code: 'DELIVERED',
    })
    await enclave.attestNotDelivered(lateNow)
    await enclave.attestSettlement(punctualNow)
  })
})

describe('a registered wallet', () => {
  test('is paid at its Safe, which the anchor decides once, and costs the shielded fee', async () => {
    const { play, enclave, horizen } = scene
    const wallet = deriveDevnetAccounts().guests[0]!
    const message = registerRecipientMessage(wallet.address)
    const { ticket } = await enclave.registerRecipient({
      recipientAddress: wallet.address,
      signature: await wallet.signMessage!({ message }),
    })
    const id = await play.create(
      scene.sealed([wallet.address, BOB, wallet.address], Array(3).fill(5n)),
    )
    const anchored = await scene.anchor(id, { tickets: [ticket] })
    expect(anchored.message).toMatchObject({ feeBps: 700, recipientClass: 4 })
    await scene.win(id)
    const revealed = await enclave.revealToWinner({ intent: await scene.deep(id) })
    const safes = anchored.replaced.map(({ safeAddress }) => safeAddress)
    expect(revealed.recipients).toEqual([safes[0], BOB, safes[1]])
    expect(new Set(safes).size).toBe(2)
    for (const { stealthAddress, safeAddress } of anchored.replaced) {
      expect(predictSafe(stealthAddress, horizen.chainId).address).toBe(safeAddress)
    }
    await scene.deliver(id, revealed)
    await scene.settle(await enclave.attestSettlement(await scene.settlementEvidence(id)))
    const timestamp = Math.floor(Date.now() / 1_000)
    for (const { stealthAddress, index } of anchored.replaced) {
      const [said, fresh] = [
        deriveStealthKeyMessage(wallet.address, stealthAddress),
        deriveStealthKeyChallenge(wallet.address, stealthAddress, timestamp),
      ]
      const { stealthPrivateKey } = await enclave.exportStealthKey({
        ...{ recipientAddress: wallet.address, stealthAddress, intentId: id, index },
        chainId: horizen.chainId,
        signature: await wallet.signMessage!({ message: said }),
        challenge: { timestamp, signature: await wallet.signMessage!({ message: fresh }) },
      })
      expect(privateKeyToAddress(stealthPrivateKey).toLowerCase()).toBe(stealthAddress)
    }
  })

  test('of a contract is paid at a Safe whose key the contract gets, if it is registered on that chain', async () => {
    const { play, enclave, base, horizen } = scene
    const registrar = await scene.enclaveOf({ isContractSignature: async () => true })
    const recipientAddress: `0x${string}` = `0x${'c0'.repeat(20)}`
    const signature = '0x1271'
    const ticketOn = async ({ chainId: contractOn }: { chainId: number }) =>
      (await registrar.registerRecipient({ recipientAddress, signature, contractOn })).ticket
    const id = await play.create(scene.sealed([recipientAddress], [AMOUNT_B]))
    const intent = await scene.evidence(id)
    const elsewhere = await enclave.signAnchor({ intent, tickets: [await ticketOn(base)] })
    expect(elsewhere).toMatchObject({ replaced: [], encryptedBlob: '0x' })
    const { replaced } = await scene.anchor(id, { tickets: [await ticketOn(horizen)] })
    await scene.win(id)
    const { recipients } = await enclave.revealToWinner({ intent: await scene.deep(id) })
    const [{ stealthAddress, safeAddress, index }] = replaced as [(typeof replaced)[number]]
    expect(recipients).toEqual([safeAddress])
    const { stealthPrivateKey } = await registrar.exportStealthKey({
      ...{ recipientAddress, stealthAddress, intentId: id, index, signature },
      ...{ chainId: horizen.chainId, contractOn: horizen.chainId },
      challenge: { timestamp: Math.floor(Date.now() / 1_000), signature },
    })
    expect(privateKeyToAddress(stealthPrivateKey).toLowerCase()).toBe(stealthAddress)
  })

  test('can’t be forged with a false ticket', async () => {
    const { play } = scene
    const other = await scene.enclaveOf({ roots: [new Uint8Array(32).fill(9)] })
    const wallet = deriveDevnetAccounts().guests[1]!
    const message = registerRecipientMessage(wallet.address)
    const signature = await wallet.signMessage!({ message })
    const { ticket } = await other.registerRecipient({
      recipientAddress: wallet.address,
      signature,
    })
    const id = await play.create(scene.sealed([wallet.address], [5n]))
    const signed = await scene.anchor(id, { tickets: [ticket, `0x${'00'.repeat(56)}`, '0x'] })
    expect(signed).toMatchObject({ replaced: [], encryptedBlob: '0x' })
  })
})

test('a scheduled order is closed without its owner only once the vault shows, deep enough, that it has stopped', async () => {
  const { play, base, enclave } = scene
  const close = async (orderId: `0x${string}`, depth: bigint) => {
    const { vault: address } = base.contracts
    const vault = await readProof(base, listOrderSlots(orderId), { address, depth })
    return enclave.signClose({ sourceChainId: base.chainId, orderId, by: { vault } })
  }
  const expectStopped = async (orderId: `0x${string}`) => {
    await expect(close(orderId, 0n)).rejects.toMatchObject({ code: 'NOT_CONFIRMED' })
    await scene.deepen()
    expect(await close(orderId, 1n)).toMatchObject({ message: { orderId } })
  }
  const [fired, lapsed] = [await play.fundOrder(1, 1), await play.fundOrder(2, 2)]
  await scene.deepen()
  for (const orderId of [fired, lapsed])
    await expect(close(orderId, 1n)).rejects.toMatchObject({
      code: 'WRONG_PHASE',
      field: 'running',
    })
  await play.fireTranche(fired, 0)
  await expectStopped(fired)
  await base.client.increaseTime({ seconds: 10_000 })
  await base.client.mine({ blocks: 1 })
  await expectStopped(lapsed)
  await play.closeOrder(lapsed)
  await scene.deepen()
  await expect(close(lapsed, 1n)).rejects.toMatchObject({ code: 'WRONG_PHASE', field: 'closed' })
  await expect(close(zeroHash, 1n)).rejects.toMatchObject({ code: 'WRONG_PHASE' })
})

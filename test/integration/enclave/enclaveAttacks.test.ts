import { decrypt, encrypt, PrivateKey } from 'eciesjs'
import {
  bytesToHex,
  concat,
  encodeFunctionData,
  erc20Abi,
  hexToBytes,
  keccak256,
  zeroHash,
} from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { joinBlob } from '../../../core/recoveryBlob/blobLayout.ts'
import { encodePlaintext } from '../../../core/recoveryBlob/encodePlaintext.ts'
import {
  countBlocks,
  countPaddedBytes,
  padPlaintext,
} from '../../../core/recoveryBlob/padPlaintext.ts'
import { deriveDevnetAccounts } from '../../../devnet/accounts.ts'
import { registerRecipientMessage } from '../../../sdk/messages/registerRecipientMessage.ts'
import { sealCreationBlob } from '../../../sdk/seal/sealCreationBlob.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { paramsHash } from '../../../src/event/paramsHash.ts'
import { readIntentOn } from '../../rig/attestedCalls.ts'
import { deployRevocableWallet } from '../../rig/revocableWallet.ts'
import {
  ALICE,
  AMOUNT_B,
  BOB,
  call,
  type EnclaveTestbed,
  ROOT,
  sortSignatures,
  startEnclaveTestbed,
  THIEF,
} from './enclaveTestbed.ts'

let scene: EnclaveTestbed
beforeAll(async () => {
  scene = await startEnclaveTestbed()
})
afterAll(() => scene?.stop())

const anchored = async (recipients: `0x${string}`[] = [ALICE]) => {
  const id = await scene.play.create(
    scene.sealed(
      recipients,
      recipients.map(() => 5n),
    ),
  )
  await scene.anchor(id)
  return id
}

/** A blob that anybody can make: sealed to the enclave's key, for this intent, without a signature. */
async function forged(id: bigint, n = 9, more: { to?: `0x${string}`; memo?: string } = {}) {
  const { base, sender, params, enclave } = scene
  const { bridge } = base.contracts
  const terms = { chainId: base.chainId, bridge, user: sender, ...params }
  const { blob } = await enclave.sealBlob({
    sourceChainId: base.chainId,
    bridge,
    user: sender,
    paramsHash: paramsHash(terms),
    intentId: id,
    n,
    salt: zeroHash,
    recipients: [more.to ?? THIEF],
    amounts: [5n],
    createdAt: 1,
    ...(more.memo !== undefined && { metadata: { memo: more.memo } }),
  })
  return blob
}

function approval(spender: `0x${string}`, amount: bigint) {
  return encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, amount] })
}

function creationCall(params: EnclaveTestbed['params']) {
  const { tokenA, tokenB, amountA, expectedAmountB, reward, destChainId, auctionDuration } = params
  const amounts = [amountA, expectedAmountB, reward, destChainId, auctionDuration] as const
  return call('createIntent', [tokenA, tokenB, ...amounts])
}

const revealed = async (id: bigint, by = scene.enclave) =>
  (await by.revealToWinner({ intent: await scene.deep(id) })).recipients

describe('a rogue enclave key redirects nothing', () => {
  test('by an append it signs', async () => {
    const id = await anchored()
    await scene.play.append(id, await forged(id))
    await scene.win(id)
    expect(await revealed(id)).toEqual([ALICE])
  })

  test('by an anchor it signs, over the sender’s blob or none', async () => {
    const id = await scene.play.create(scene.sealed([ALICE], [5n]))
    await scene.play.anchor(id, { blob: await forged(id) })
    await scene.win(id)
    expect(await revealed(id)).toEqual([ALICE])
    const bare = await scene.play.create()
    await scene.play.anchor(bare, { blob: await forged(bare) })
    await scene.win(bare)
    await expect(revealed(bare)).rejects.toMatchObject({ code: 'RECIPIENTS_UNKNOWN' })
  })

  test('by an anchor under a key that no enclave has: nobody gets the recipients', async () => {
    const id = await scene.play.create(scene.sealed([ALICE], [5n]))
    const blob = `0x0101deadbeef${'00'.repeat(506)}` as const
    await scene.play.anchor(id, { blob })
    await scene.win(id)
    await expect(revealed(id)).rejects.toMatchObject({ code: 'KEY_MISSING' })
  })

  test('by another intent’s blob', async () => {
    const other = await scene.play.create()
    const foreign = await forged(other)
    const id = await anchored()
    await scene.play.append(id, foreign)
    await scene.win(id)
    expect(await revealed(id)).toEqual([ALICE])
  })

  test('by its own reveal: where two enclaves must sign, one isn’t enough', async () => {
    const strict = await startEnclaveTestbed({ quorum: 2 })
    try {
      const second = await strict.enclaveOf({}, 1)
      const id = await strict.play.create(strict.sealed([ALICE], [5n]))
      await strict.anchor(id)
      await strict.win(id)
      const intent = await strict.deep(id)
      const [one, other] = [
        await strict.enclave.revealToWinner({ intent }),
        await second.revealToWinner({ intent }),
      ]
      expect(other.sealed).toBe(one.sealed)
      expect(other.signer).not.toBe(one.signer)
      await strict.deliver(id, one)
      const evidence = await strict.settlementEvidence(id)
      const settled = [
        await strict.enclave.attestSettlement(evidence),
        await second.attestSettlement(evidence),
      ] as const
      await expect(strict.settle(settled[0])).rejects.toThrow()
      await strict.settle(...settled)
      expect(await readIntentOn(strict.base, id)).toMatchObject({ phase: 3 })
    } finally {
      await strict.stop()
    }
  })
})

describe('the enclave signs nothing without proof', () => {
  test('given blobs that are invented, missing, changed, reordered or of another kind', async () => {
    const { enclave, play } = scene
    const id = await anchored()
    await play.name(id, scene.sealed([BOB], [5n], { n: 1, intentId: id }))
    await scene.win(id)
    const intent = await scene.deep(id)
    const [created, anchor, named] = intent.blobs as [
      (typeof intent.blobs)[0],
      (typeof intent.blobs)[0],
      (typeof intent.blobs)[0],
    ]
    const added = { kind: 3, blob: await forged(id) }
    for (const blobs of [
      [created, anchor],
      [created, anchor, named, added],
      [created, named, anchor],
      [anchor, named],
      [created, anchor, { ...named, kind: 3 }],
      [created, anchor, { ...named, blob: created.blob }],
      [],
    ]) {
      await expect(enclave.revealToWinner({ intent: { ...intent, blobs } })).rejects.toMatchObject({
        code: 'EVIDENCE_INVALID',
        field: 'blobs',
      })
    }
    expect(await revealed(id)).toEqual([BOB])
  })

  test('given proofs of another intent, block or chain, or too few', async () => {
    const { enclave, base } = scene
    const [id, other] = [await anchored(), await anchored([BOB])]
    await scene.win(id)
    const [intent, foreign] = [await scene.deep(id), await scene.deep(other)]
    const reveal = (more: object) => enclave.revealToWinner({ intent: { ...intent, ...more } })
    const { storageProofs, accountProof } = foreign
    await expect(reveal({ storageProofs, accountProof })).rejects.toMatchObject({
      code: 'EVIDENCE_INVALID',
    })
    await expect(reveal({ storageProofs: [] })).rejects.toMatchObject({ code: 'EVIDENCE_INVALID' })
    await expect(reveal({ blockNumber: 1 })).rejects.toMatchObject({ code: 'EVIDENCE_INVALID' })
    await expect(reveal({ sourceChainId: 1 })).rejects.toMatchObject({
      code: 'CHAIN_NOT_CONFIGURED',
    })
    await expect(reveal({ sourceChainId: 2_651_420 })).rejects.toThrow()
    const head = Number(await base.client.getBlockNumber())
    await expect(reveal({ blockNumber: head + 1_000 })).rejects.toMatchObject({
      code: 'PROVIDERS_UNREACHABLE',
    })
    await expect(reveal({ intentId: id + 1_000n })).rejects.toMatchObject({
      code: 'EVIDENCE_INVALID',
    })
    const nothing = await scene.deep(id + 1_000n)
    await expect(enclave.revealToWinner({ intent: nothing })).rejects.toMatchObject({
      code: 'EVIDENCE_INVALID',
      field: 'intentId',
    })
  })

  test('given a deposit that isn’t confirmed, or only a bid', async () => {
    const { enclave } = scene
    const id = await anchored()
    const open = await scene.deep(id)
    await expect(enclave.revealToWinner({ intent: open })).rejects.toMatchObject({
      code: 'WRONG_PHASE',
    })
    await scene.win(id)
    const atHead = await scene.evidence(id)
    await expect(enclave.revealToWinner({ intent: atHead })).rejects.toMatchObject({
      code: 'NOT_CONFIRMED',
    })
  })

  test('given a delivery, or its absence, in a block that isn’t confirmed', async () => {
    const { enclave } = scene
    const won = async () => {
      const id = await anchored()
      await scene.win(id)
      return { id, revealed: await enclave.revealToWinner({ intent: await scene.deep(id) }) }
    }
    const atHead = async ({ id, revealed }: Awaited<ReturnType<typeof won>>) => ({
      intent: await scene.deep(id),
      delivery: await scene.delivery(revealed.deliveryKey, 0n),
    })
    const paid = await won()
    await scene.deliver(paid.id, paid.revealed)
    const settlement = enclave.attestSettlement(await atHead(paid))
    await expect(settlement).rejects.toMatchObject({ code: 'NOT_CONFIRMED' })
    const unpaid = await won()
    await scene.passDeadline(unpaid.id)
    const absence = enclave.attestNotDelivered(await atHead(unpaid))
    await expect(absence).rejects.toMatchObject({ code: 'NOT_CONFIRMED', field: undefined })
  })

  test('given a delivery by another solver, to others, of less or for other terms', async () => {
    const { enclave, horizen } = scene
    const id = await anchored([ALICE, BOB])
    await scene.win(id)
    const right = await enclave.revealToWinner({ intent: await scene.deep(id) })
    const { recipients, amounts } = right
    const [first, second] = amounts as [bigint, bigint]
    await scene.deliver(id, { recipients: [ALICE, THIEF], amounts })
    await scene.deliver(id, { recipients, amounts: [first - 1n, second + 1n] })
    await scene.deliver(id, { recipients: [BOB, ALICE], amounts: [second, first] })
    await scene.deliver(id, right, horizen.solvers[1])
    const evidence = await scene.settlementEvidence(id)
    await expect(enclave.attestSettlement(evidence)).rejects.toMatchObject({
      code: 'NOT_DELIVERED',
    })
    // A true delivery's slot in the place of the one that is asked for.
    await scene.deliver(id, right)
    await scene.settle(await enclave.attestSettlement(await scene.settlementEvidence(id)))
  })

  test('given a bridge with other code than configured', async () => {
    const id = await anchored()
    const expecting = (bridgeCodeHash: `0x${string}`) =>
      scene.enclaveOf({ chains: scene.chains.map((chain) => ({ ...chain, bridgeCodeHash })) })
    const careful = await expecting(zeroHash)
    const intent = await scene.evidence(id)
    await expect(careful.signAppend({ intent, tickets: [] })).rejects.toMatchObject({
      code: 'EVIDENCE_INVALID',
      field: 'bridgeCodeHash',
    })
    const code = await scene.base.client.getCode({ address: scene.base.contracts.bridge })
    const content = await expecting(keccak256(code!))
    await expect(content.signAppend({ intent, tickets: [] })).rejects.toMatchObject({
      code: 'NOTHING_TO_APPEND',
    })
  })
})

describe('the enclave attests the recipients the winner was given', () => {
  test('after a restart, in another enclave, and after both keys were rotated', async () => {
    const id = await anchored([ALICE, BOB])
    await scene.win(id)
    const intent = await scene.deep(id)
    const first = await scene.enclave.revealToWinner({ intent })
    const rotated = await scene.enclaveOf({ roots: [new Uint8Array(32).fill(3), ROOT] })
    for (const other of [await scene.enclaveOf(), rotated]) {
      const again = await other.revealToWinner({ intent })
      expect(again).toMatchObject({ sealed: first.sealed, message: first.message })
      await scene.deliver(id, first).catch(() => 'delivered already')
      await other.attestSettlement(await scene.settlementEvidence(id, other))
    }
    const without = await scene.enclaveOf({ roots: [new Uint8Array(32).fill(3)] })
    await expect(without.revealToWinner({ intent })).rejects.toMatchObject({ code: 'KEY_MISSING' })
  })

  test('when a recipient registers after the anchor: it is paid as the winner was told', async () => {
    const { enclave } = scene
    const wallet = deriveDevnetAccounts().guests[2]!
    const id = await anchored([wallet.address.toLowerCase() as `0x${string}`])
    const message = registerRecipientMessage(wallet.address)
    const signature = await wallet.signMessage!({ message })
    const { ticket } = await enclave.registerRecipient({
      recipientAddress: wallet.address,
      signature,
    })
    const late = scene.append(id, { tickets: [ticket] })
    await expect(late).rejects.toMatchObject({ code: 'FEE_TIER_FIXED' })
    await scene.win(id)
    const before = await enclave.revealToWinner({ intent: await scene.deep(id) })
    expect(before.recipients).toEqual([wallet.address.toLowerCase()])
    await scene.deliver(id, before)
    expect(await revealed(id)).toEqual(before.recipients)
    await scene.settle(await enclave.attestSettlement(await scene.settlementEvidence(id)))
  })

  test('when the sender is a contract that no longer confirms its signature', async () => {
    const { enclave, base, params, horizen } = scene
    const { bridge, tokens } = base.contracts
    const { turncoat, through, turn, accepts } = await deployRevocableWallet(scene)
    const sealed = (n: number, recipients: `0x${string}`[], intentId?: bigint) =>
      sealCreationBlob(publicKey, {
        sourceChainId: base.chainId,
        bridge,
        user: turncoat,
        params,
        recipients,
        n,
        amounts: recipients.map(() => 5n),
        createdAt: 1,
        ...(intentId && { intentId }),
      })
    const { eciesPublicKey: publicKey } = await enclave.publicKeys()
    await through(tokens.USDC, approval(bridge, params.amountA + params.reward))
    await through(bridge, concat([creationCall(params), sealed(0, [ALICE])]))
    const id = await base.client.readContract({
      address: bridge,
      abi: bridgeIntentV2Abi,
      functionName: 'getLatestIntentId',
    })
    // It would say yes to any signature, and isn't asked.
    expect(await accepts()).toBe(true)
    const proposal = sealed(7, [THIEF], id)
    await scene.anchor(id, { proposal })
    await through(bridge, call('nameRecipients', [id, sealed(1, [BOB], id)]))
    await scene.win(id)
    const revealed = await enclave.revealToWinner({ intent: await scene.deep(id) })
    expect(revealed.recipients).toEqual([BOB])
    await turn()
    expect(await accepts()).toBe(false)
    await scene.deliver(id, revealed, horizen.solvers[0])
    await scene.settle(await enclave.attestSettlement(await scene.settlementEvidence(id)))
    expect(await readIntentOn(base, id)).toMatchObject({ phase: 3 })
  })

  test('whatever is appended once the recipients are final', async () => {
    const id = await anchored()
    await scene.play.bid(id)
    await scene.play.endAuction()
    const firm = await scene.blobs(id)
    await scene.play.append(id, await forged(id))
    await scene.play.deposit(id)
    await scene.deepen()
    const intent = await scene.deep(id)
    await expect(scene.enclave.revealToWinner({ intent })).rejects.toMatchObject({
      field: 'blobs',
    })
    const { recipients } = await scene.enclave.revealToWinner({
      intent: { ...intent, blobs: firm },
    })
    expect(recipients).toEqual([ALICE])
  })
})

test('an intent that names nobody is refunded at its deadline: no enclave could ever settle it', async () => {
  const { play, enclave, base } = scene
  const id = await play.create()
  await play.anchor(id, { blob: await forged(await play.create()) })
  await scene.win(id)
  const evidence = async () => ({
    intent: await scene.deep(id),
    delivery: await scene.delivery(zeroHash),
  })
  await expect(enclave.attestNotDelivered(await evidence())).rejects.toMatchObject({
    code: 'NOT_CONFIRMED',
  })
  await scene.passDeadline(id)
  await expect(enclave.attestSettlement(await evidence())).rejects.toMatchObject({
    code: 'RECIPIENTS_UNKNOWN',
  })
  await scene.refundUndelivered(await enclave.attestNotDelivered(await evidence()))
  expect(await readIntentOn(base, id)).toMatchObject({ phase: 5 })

  // Under a key that another enclave may have, somebody may be named; and a stranger, where compat is set.
  const unsigned = await play.create()
  await play.anchor(unsigned, { blob: await forged(unsigned) })
  const foreign = await play.create(scene.sealed([ALICE], [5n]))
  await play.anchor(foreign, { blob: `0x0101deadbeef${'00'.repeat(506)}` })
  for (const one of [unsigned, foreign]) await play.bid(one)
  await play.endAuction()
  for (const one of [unsigned, foreign]) await play.deposit(one)
  await scene.passDeadline(foreign)
  const delivery = await scene.delivery(zeroHash)
  const refused = async (one: bigint) =>
    enclave.attestNotDelivered({ intent: await scene.deep(one), delivery })
  await expect(refused(unsigned)).rejects.toMatchObject({ code: 'RECIPIENTS_UNKNOWN' })
  await expect(refused(foreign)).rejects.toMatchObject({ code: 'KEY_MISSING' })
})

describe('a creation’s blob that couldn’t be delivered', () => {
  test.each<[string, () => [`0x${string}`[], bigint[]]]>([
    ['the zero address', () => [[`0x${'0'.repeat(40)}`], [5n]]],
    ['the token', () => [[scene.params.tokenB.toLowerCase() as `0x${string}`], [5n]]],
    ['the bridge', () => [[scene.horizen.contracts.bridge], [5n]]],
    [
      'a zero amount',
      () => [
        [ALICE, BOB],
        [5n, 0n],
      ],
    ],
    [
      'more than is asked for',
      () => [
        [ALICE, BOB],
        [AMOUNT_B, 1n],
      ],
    ],
  ])('is never anchored: %s', async (_, bundle) => {
    const id = await scene.play.create(scene.sealed(...bundle()))
    await expect(scene.anchor(id)).rejects.toMatchObject({ code: 'RECIPIENTS_UNKNOWN' })
  })
})

test('a creation’s blob with 201 recipients, or random bytes, is never anchored', async () => {
  const { base, sender, params, enclave, play } = scene
  const { bridge } = base.contracts
  const terms = { chainId: base.chainId, bridge, user: sender, ...params }
  const plaintext = encodePlaintext({
    sourceChainId: base.chainId,
    bridge: bridge.toLowerCase() as `0x${string}`,
    user: sender,
    paramsHash: paramsHash(terms),
    n: 0,
    salt: zeroHash,
    createdAt: 2 ** 32 - 1,
    recipients: Array(201).fill(ALICE),
    amounts: Array(201).fill(1n),
    registered: [],
  })
  const { eciesPublicKey, keyId } = await enclave.publicKeys()
  const seal = (bytes: Uint8Array, blocks: number) => {
    const padded = padPlaintext(bytes, new Uint8Array(countPaddedBytes(blocks)))
    return joinBlob({ keyId, ciphertext: bytesToHex(encrypt(hexToBytes(eciesPublicKey), padded)) })
  }
  const blobs = [seal(plaintext, countBlocks(plaintext.length)), seal(new Uint8Array(300), 1)]
  for (const blob of blobs) {
    const id = await play.create(blob)
    await expect(scene.anchor(id)).rejects.toMatchObject({ code: 'RECIPIENTS_UNKNOWN' })
  }
})

test('whoever has the enclave asked about blobs of its own learns no recipient from its answers', async () => {
  const [id, early] = [
    await anchored([ALICE]),
    await scene.play.create(scene.sealed([ALICE], [5n])),
  ]
  const answers = new Map<`0x${string}`, string[]>([
    [ALICE, []],
    [BOB, []],
  ])
  for (const [to, seen] of answers)
    for (const more of [{ to }, { to, memo: 'rent' }])
      for (const n of [0, 1]) {
        const proposal = await forged(id, n, more)
        const intent = await scene.evidence(id)
        const appended = scene.enclave.signAppend({ intent, tickets: [], proposal })
        seen.push(
          await appended.then(
            () => 'signed',
            ({ code }) => code,
          ),
        )
        const first = await scene.enclave.signAnchor({
          intent: await scene.evidence(early),
          tickets: [],
          proposal: await forged(early, n, more),
        })
        seen.push(first.encryptedBlob)
      }
  expect(answers.get(ALICE)).toEqual(answers.get(BOB))
})

describe('a winner gets its recipients privately', () => {
  test('in bytes that only its sealing key opens, and that disclose only the class', async () => {
    const lengths = new Set<number>()
    for (const count of [5, 8]) {
      const id = await anchored(Array(count).fill(ALICE))
      await scene.win(id)
      const { sealed } = await scene.enclave.revealToWinner({ intent: await scene.deep(id) })
      lengths.add(sealed.length)
      expect(() => decrypt(new PrivateKey().secret, hexToBytes(sealed))).toThrow()
    }
    expect(lengths.size).toBe(1)
  })

  test('in bytes that disclose nothing when a term is changed: each has its own keys', async () => {
    const [one, other] = [await anchored(), await anchored()]
    for (const id of [one, other]) await scene.play.bid(id)
    await scene.play.endAuction()
    for (const id of [one, other]) await scene.play.deposit(id)
    await scene.deepen()
    const reveal = async (id: bigint) =>
      hexToBytes((await scene.enclave.revealToWinner({ intent: await scene.deep(id) })).sealed)
    const [first, second] = [await reveal(one), await reveal(other)]
    const head = (bytes: Uint8Array) => bytesToHex(bytes.subarray(0, 65 + 16))
    expect(head(first)).not.toBe(head(second))
  })
})

test('a signature for one intent is invalid for any other', async () => {
  const id = await anchored()
  await scene.win(id)
  const other = await anchored([BOB])
  await scene.win(other)
  const { enclave, base } = scene
  const right = await enclave.revealToWinner({ intent: await scene.deep(id) })
  await scene.deliver(id, right)
  const settled = await enclave.attestSettlement(await scene.settlementEvidence(id))
  const stolen = { ...settled.message, intentId: other }
  const data = call('settleIntent', [stolen, sortSignatures(settled)])
  await expect(base.relayer.execute({ to: base.contracts.bridge, data })).rejects.toThrow()
})

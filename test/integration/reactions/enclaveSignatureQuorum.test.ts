import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeFunctionData } from 'viem'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { enclaveKeyRegistryAbi } from '../../../core/abi/enclaveKeyRegistry.ts'
import { type DevnetAccount, deriveDevnetAccounts } from '../../../devnet/accounts.ts'
import { type AttestationKind, attestation } from '../../../sdk/intent/attestationTypedData.ts'
import type { Enclave } from '../../../services/enclave/enclaveInterface.ts'
import type { Roots } from '../../../services/enclave/keys/rootFile.ts'
import { connectEnclave } from '../../../services/enclave/socket/connectEnclave.ts'
import { revealRecipients } from '../../../services/relayer/settlement/revealRecipients.ts'
import { findSignedStatement } from '../../../services/relayer/settlement/signedStatements.ts'
import { createSigning } from '../../../services/relayer/settlement/signingContext.ts'
import type { StoredIntent } from '../../../services/store/intents/storedIntent.ts'
import type { Hex as LowerHex } from '../../../src/event/bridgeEvent.ts'
import { acceptRoot, giveRoot } from '../../../tools/enclave/handoverCommands.ts'
import { registerEnclaveOn } from '../enclave/enclaveTestbed.ts'
import { registriesOf, signApprovals } from '../enclave/signApprovals.ts'
import {
  type Offer,
  type RelayerRig,
  startRelayerRig,
  TEST_ROOT,
  testEnclave,
} from './relayerRig.ts'

/** A token that asks for two signatures of three operators' enclaves. */
let rig: RelayerRig
let offers: [Offer, Offer]

beforeAll(async () => {
  rig = await startRelayerRig({ enclaves: 3, quorum: 2 })
  offers = await won([await rig.create(), await rig.create()])
}, 300_000)
afterAll(() => rig?.stop())

/** Has these anchored by so many enclaves, and won. */
async function won<Offers extends Offer[]>(
  them: [...Offers],
  enclaves = rig.enclaves,
): Promise<[...Offers]> {
  const all = async (is: (source: StoredIntent['source'] | undefined) => boolean) =>
    (await Promise.all(them.map(({ id }) => rig.stored(id)))).every((one) => is(one?.source))
  const reactions = await rig.startReactions({ enclaves })
  await rig.until(() => all((one) => one?.feeBps === 250), 'anchored')
  for (const { id } of them) await rig.play.bid(id)
  await rig.endAuctions(them)
  for (const { id } of them) await rig.play.deposit(id)
  await rig.until(() => all((one) => one?.phase === 'deposited'), 'deposited')
  await reactions.stop()
  for (const { client } of [rig.base, rig.horizen]) await client.mine({ blocks: 3 })
  return them
}

/** A pair that no solver serves. */
function dead(): Enclave {
  return connectEnclave(join(tmpdir(), 'no-enclave-is-here.sock'), { timeoutMs: 1_000 })
}

/** One whose key the registries know, and that signs for another amount than it should. */
function lying(enclave: Enclave, account: DevnetAccount): Enclave {
  const { chainId, contracts } = rig.base
  const falsely = async (
    kind: AttestationKind,
    answer: { message: object; signature: `0x${string}`; signer: `0x${string}` },
  ) => {
    const { amountB } = answer.message as { amountB: bigint }
    const message = { ...answer.message, amountB: amountB + 1n }
    const about = attestation({ chainId, bridge: contracts.bridge }, kind, message as never)
    const signature = await account.signTypedData?.(about as never)
    return { ...answer, message, signature, signer: account.address.toLowerCase() }
  }
  return {
    ...enclave,
    revealToWinner: async (asked) =>
      (await falsely('Reveal', await enclave.revealToWinner(asked))) as never,
    attestSettlement: async (asked) =>
      (await falsely('Settlement', await enclave.attestSettlement(asked))) as never,
  }
}

/** One that says, beside what it signs, that the intent pays at another's Safe, and is delivered under a false key. */
function claiming(enclave: Enclave, safeAddress: LowerHex): Enclave {
  const bytes = (length: number): LowerHex => `0x${'04'.repeat(length)}`
  const replaced = [
    {
      safeAddress,
      stealthAddress: safeAddress,
      saltNonce: 0n,
      viewTag: 0,
      tag: bytes(32),
      ephemeralPubKey: bytes(65),
      spendPubKey: bytes(65),
      viewPubKey: bytes(65),
      ticket: bytes(64),
      position: 0,
      index: 0,
    },
  ]
  return {
    ...enclave,
    signAnchor: async (asked) => ({ ...(await enclave.signAnchor(asked)), replaced }),
    revealToWinner: async (asked) => {
      const answer = await enclave.revealToWinner(asked)
      return { ...answer, replaced, deliveryKey: bytes(32) }
    },
  }
}

async function revealTo({ id }: Offer, enclaves: readonly Enclave[]) {
  const { source } = (await rig.stored(id)) as StoredIntent
  const signing = createSigning(rig.database.db, rig.configs, enclaves)
  const head = Number(await rig.base.client.getBlockNumber())
  const found = await revealRecipients(signing, source, { from: head - 2, head, depth: 1 })
  if (found.is === 'early') throw new Error('it was asked too early')
  const { answer, signers } = found.reveal
  return { sealed: answer.sealed, recipients: answer.recipients, signers }
}

async function settle(offer: Offer, enclaves: Enclave[]): Promise<readonly string[]> {
  const reactions = await rig.startReactions({ enclaves })
  await rig.until(async () => (await rig.phase(offer.id)) === 'completed', 'settled')
  await reactions.stop()
  const { source } = (await rig.stored(offer.id)) as StoredIntent
  return (await findSignedStatement(rig.database.db, 'settle', source))?.signers ?? []
}

it('two of three reveal and settle while the third is down or lies, and while one changes its key', async () => {
  const [first, second, third] = rig.enclaves as [Enclave, Enclave, Enclave]
  const liar = lying(first, deriveDevnetAccounts().attesters[0])
  const [one, other] = offers
  // Neither a dead one nor a liar counts, and a single honest one isn't enough.
  await expect(revealTo(one, [dead(), liar, third])).rejects.toThrow()

  const all = await revealTo(one, [first, second, third])
  const { attester: oldKey, nextAttester: newKey } = await third.rotateAttester({ step: 'prepare' })
  for (const chain of [rig.base, rig.horizen]) await registerEnclaveOn(chain, third, 2, 'next')
  // In the middle of its rotation: the next key is registered, and the old one still signs.
  const withDead = await revealTo(one, [dead(), second, third])
  expect(withDead.signers).toContain(oldKey.toLowerCase())
  const liarRevealed = await revealTo(other, [liar, second, third])
  await third.rotateAttester({ step: 'promote' })
  const promoted = await revealTo(one, [dead(), second, third])
  expect(promoted.signers).toContain(newKey?.toLowerCase())
  expect(new Set([all, withDead, promoted].map(({ sealed }) => sealed)).size).toBe(1)
  expect(all.recipients.map((to) => to.toLowerCase())).toEqual(one.recipients)
  expect(liarRevealed.recipients.map((to) => to.toLowerCase())).toEqual(other.recipients)

  await rig.deliver(one)
  expect(await settle(one, [liar, second, third])).toContain(newKey?.toLowerCase())
  await rig.deliver(other)
  expect(await settle(other, [dead(), second, third])).toHaveLength(2)
})

it('one enclave’s unsigned claims can neither delete a Safe nor keep a winner from being paid', async () => {
  const safe: LowerHex = `0x${'5a'.repeat(20)}`
  await rig.client.query(
    `insert into app.stealth_entry (tag, chain_id, intent_id, stealth_address, ephemeral_pub_key,
       view_tag, safe_address, salt_nonce, ticket, created_at)
     values (sha256('a stranger'), $1, 1, $2, decode(repeat('04', 65), 'hex'), 0, $2, 0, '\\x00', 1)`,
    [rig.horizen.chainId, safe],
  )
  const intents = async () => {
    const { rows } = await rig.client.query(
      'select intent_id::text as id from app.stealth_entry where safe_address = $1',
      [safe],
    )
    return rows.map(({ id }) => id)
  }
  const enclaves = rig.enclaves.map((enclave) => claiming(enclave, safe))
  const [offer] = await won([await rig.create()], enclaves)
  expect(await intents()).toEqual(['1'])
  await revealTo(offer, enclaves)
  expect(await intents()).toEqual(['1'])
  await rig.deliver(offer)
  const [liar] = enclaves as [Enclave]
  expect(await settle(offer, [liar, ...rig.enclaves.slice(1)])).toHaveLength(2)
})

/** The root, from one enclave to another that waits for it. */
async function handOver(from: Enclave, to: Enclave): Promise<void> {
  const chains = [rig.base, rig.horizen]
  for (const { client } of chains) await client.mine({ blocks: 3 })
  const request = await to.requestRoot()
  const signatures = await signApprovals(chains, request, 2)
  await acceptRoot(
    to,
    registriesOf(chains),
    await giveRoot(from, registriesOf(chains), request, signatures),
  )
}

it('two of three reveal and settle while the root is rotated in one after another', async () => {
  const [first, second, third] = rig.enclaves as [Enclave, Enclave, Enclave]
  const started = async (operator: number, roots: Roots | []) => {
    const enclave = await testEnclave(rig.configs, 'strict', roots)
    for (const chain of [rig.base, rig.horizen]) await registerEnclaveOn(chain, enclave, operator)
    return enclave
  }
  const [before] = await won([await rig.create()])
  const revealed = await revealTo(before, [first, second, third])

  // The first publishes the key that senders seal to. Another has the new root first.
  const newThird = await started(2, [new Uint8Array(32).fill(0x5c), TEST_ROOT])
  expect((await revealTo(before, [first, dead(), newThird])).sealed).toBe(revealed.sealed)
  const [between] = await won([await rig.create()], [first, second, newThird])
  const newSecond = await started(1, [])
  await handOver(newThird, newSecond)
  expect((await revealTo(before, [dead(), newSecond, newThird])).sealed).toBe(revealed.sealed)

  // From here on the new key is published.
  const newFirst = await started(0, [])
  await handOver(newThird, newFirst)
  const { eciesPublicKey: publicKey } = await newFirst.publicKeys()
  expect(publicKey).not.toBe((await first.publicKeys()).eciesPublicKey)
  const renewed = [newFirst, newSecond, newThird]
  const [after] = await won([await rig.create({ publicKey })], renewed)

  // One that was left behind can't open what is sealed to the new key, and stops nobody.
  await expect(revealTo(after, [first, dead(), newThird])).rejects.toThrow()
  for (const offer of [before, between, after]) {
    await rig.deliver(offer)
    const signers = await settle(offer, [first, newSecond, newThird])
    expect(signers).toHaveLength(2)
  }
})

it('winners are still paid after an operator has revoked its enclave’s key', async () => {
  const { attester } = await (rig.enclaves[0] as Enclave).publicKeys()
  const [operator] = deriveDevnetAccounts().operators
  const data = encodeFunctionData({
    abi: enclaveKeyRegistryAbi,
    functionName: 'revoke',
    args: [attester],
  })
  const { client, contracts } = rig.base
  const request = (method: string, ...params: unknown[]) =>
    client.request({ method, params } as never)
  await request('anvil_impersonateAccount', operator.address)
  await request('anvil_setBalance', operator.address, '0xde0b6b3a7640000')
  await request('eth_sendTransaction', { from: operator.address, to: contracts.registry, data })
  await client.mine({ blocks: 1 })
  const [offer] = await won([await rig.create()])
  await rig.deliver(offer)
  expect(await settle(offer, rig.enclaves)).not.toContain(attester.toLowerCase())
})

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { zeroHash } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MAX_BLOBS } from '../../../core/recipientBundle/decide/bundleDecisionState.ts'
import { storeRecipientsMessage } from '../../../core/recipientBundle/storeRecipientsMessage.ts'
import { deriveDevnetAccounts } from '../../../devnet/accounts.ts'
import { sealCreationBlob } from '../../../sdk/seal/sealCreationBlob.ts'
import type { IntentEvidence } from '../../../services/enclave/enclaveInterface.ts'
import {
  type ConnectedEnclave,
  connectEnclave,
} from '../../../services/enclave/socket/connectEnclave.ts'
import { MAX_FRAME_BYTES } from '../../../services/enclave/socket/messageFrames.ts'
import { serveEnclave } from '../../../services/enclave/socket/serveEnclave.ts'
import {
  ALICE,
  BOB,
  call,
  type EnclaveTestbed,
  startEnclaveTestbed,
} from '../../integration/enclave/enclaveTestbed.ts'
import { readIntentOn } from '../../rig/attestedCalls.ts'

/** Seconds. */
const AUCTION = 10_000
/** Hex digits of the longest blob that a bridge takes, and more than a proof has. */
const [BLOB, PROOFS] = [2 * 16_384, 1_000_000]

type Blobs = IntentEvidence['blobs']

let scene: EnclaveTestbed
let served: { stop(): Promise<void> }
let enclave: ConnectedEnclave
const directory = mkdtempSync(join(tmpdir(), 'cairn-flood-'))

beforeAll(async () => {
  scene = await startEnclaveTestbed()
  const path = join(directory, 'enclave.sock')
  const chainIds = [scene.base.chainId, scene.horizen.chainId]
  served = await serveEnclave(scene.enclave, path, chainIds)
  enclave = connectEnclave(path)
})
afterAll(async () => {
  enclave?.close()
  await served?.stop()
  await scene?.stop()
  rmSync(directory, { recursive: true })
})

/** Has the enclave sign other recipients with the sender's signature, and puts them on chain. Returns the blob. */
async function replace(id: bigint, n: number, blobs: Blobs): Promise<Blobs[number]> {
  const { paramsHash } = await readIntentOn(scene.base, id)
  const { base, sender } = scene
  const terms = { sourceChainId: base.chainId, paramsHash, n, salt: zeroHash }
  const naming = { ...terms, intentId: id, recipients: [n % 2 ? ALICE : BOB], amounts: [5n] }
  const account = privateKeyToAccount(deriveDevnetAccounts().senders[0]!.privateKey)
  const signature = await account.signMessage({ message: storeRecipientsMessage(naming) })
  const { bridge } = base.contracts
  const about = { bridge, user: sender, createdAt: 1, signature }
  const { blob: proposal } = await enclave.sealBlob({ ...naming, ...about })
  const intent = await scene.evidence(id, { blobs })
  const signed = await enclave.signAppend({ intent, tickets: [], proposal })
  const { message, encryptedBlob, signature: attested } = signed
  const args = [id, paramsHash, message.blobsHashBefore, encryptedBlob, attested]
  await base.relayer.execute({ to: bridge, data: call('appendBlob', args) })
  return { kind: 3, blob: encryptedBlob }
}

// Each call about an intent carries all of its blobs. With 511 long ones the enclave's largest message had room for them,
// so that the winner was told, and not for the proof of its delivery as well, so that it was never paid.
test('a sender can’t put so many blobs on chain that its winner is told but not settled', async () => {
  const { play, base, sender: user, params } = scene
  const { eciesPublicKey } = await enclave.publicKeys()
  const created = sealCreationBlob(eciesPublicKey, {
    sourceChainId: base.chainId,
    bridge: base.contracts.bridge,
    user,
    params: { ...params, auctionDuration: BigInt(AUCTION) },
    recipients: [ALICE],
    amounts: [5n],
    createdAt: 1_700_000_000,
  })
  const id = await play.create(created, AUCTION)
  await scene.anchor(id, { by: enclave })
  const blobs = await scene.blobs(id)
  while (blobs.length < MAX_BLOBS) blobs.push(await replace(id, blobs.length, blobs))
  await expect(replace(id, blobs.length, blobs)).rejects.toMatchObject({ code: 'TOO_MANY_BLOBS' })
  // Even if all were as long as a bridge takes them, with one by the sender's own call.
  expect((MAX_BLOBS + 1) * BLOB + PROOFS).toBeLessThan(MAX_FRAME_BYTES / 4)
  await play.letRecipientsStand(id)
  await play.bid(id)
  await play.endAuction()
  await play.deposit(id)
  await scene.deepen()
  const told = await enclave.revealToWinner({ intent: await scene.deep(id) })
  await scene.deliver(id, told)
  const evidence = await scene.settlementEvidence(id, enclave)
  await scene.settle(await enclave.attestSettlement(evidence))
  expect(await readIntentOn(base, id)).toMatchObject({ phase: 3 })
})

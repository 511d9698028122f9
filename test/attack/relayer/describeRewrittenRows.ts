import { describe, expect, it } from 'vitest'
import { decodeRecordHead } from '../../../core/proof/storage/intentRecord.ts'
import {
  listIntentSlots,
  listRecordSlots,
  listSealingKeySlots,
} from '../../../core/proof/storage/storageSlots.ts'
import { getRecipientsMessage } from '../../../sdk/messages/getRecipientsMessage.ts'
import { intentPrivateMessage } from '../../../sdk/messages/intentPrivateMessage.ts'
import { keepEvidence } from '../../../services/relayer/evidence/evidenceRows.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { describeOutcome, get, rig, won } from './attackTestbed.ts'

/** Attacks by a hand in the relayer's database, on a scene that is open; `won` is settled by them. */
export function describeRewrittenRows(): void {
  const now = () => Math.floor(Date.now() / 1_000)
  const lower = (address: Hex) => address.toLowerCase() as Hex

  /** What `ask` says while the index names somebody else. */
  async function whileNamed<Said>(
    column: 'sender' | 'solver',
    name: Hex,
    ask: () => Promise<Said>,
  ): Promise<Said> {
    const { rows } = await rig.client.query(
      'select schema_name from app.projection where active and chain_id = $1',
      [rig.base.chainId],
    )
    const table = `${rig.client.escapeIdentifier(rows[0].schema_name)}.intent`
    const write = (value: Hex) =>
      rig.client.query(`update ${table} set ${column} = $2 where intent_id = $1`, [
        ...[String(won.id), value],
      ])
    const before = (await rig.stored(won.id))?.source[column] as Hex
    await write(lower(name))
    try {
      return await ask()
    } finally {
      await write(before)
    }
  }

  const bytesOf = (hex: Hex) => Buffer.from(hex.slice(2), 'hex')

  /** By which somebody asks for the private details. */
  const headersOf = async (by: typeof rig.sender) => {
    const at = now()
    const message = intentPrivateMessage(won.id, rig.base.chainId, at)
    return {
      'x-reader-address': by.address,
      'x-reader-signature': await by.signMessage({ message }),
      'x-timestamp': String(at),
    }
  }

  describe('an attacker who writes the relayer’s rows and reads plaintext', () => {
    it('can’t become the winner by changing the index, even with proofs of the chain', async () => {
      const thief = rig.stranger
      const { base } = rig
      const address = base.contracts.bridge
      const wordOf = async (slot: Hex) =>
        (await base.client.getStorageAt({ address, slot })) ?? '0x0'
      const [head] = listRecordSlots(won.id) as [Hex]
      const { tokenIndex, destinationIndex } = decodeRecordHead(BigInt(await wordOf(head)))!
      const { solver } = await base.client.readContract({
        address,
        abi: bridgeIntentV2Abi,
        functionName: 'getIntent',
        args: [won.id],
      })
      // Of the true winner, as the enclave wants them, and the thief's own, as the relayer does.
      const slots = [
        ...listIntentSlots({
          intentId: won.id,
          tokenIndex,
          destinationIndex,
          solver: lower(solver),
        }),
        ...listSealingKeySlots(lower(thief.address)),
      ]
      const blockNumber = await base.client.getBlockNumber()
      const proof = await base.client.getProof({ address, storageKeys: slots, blockNumber })
      const subject = { chainId: base.chainId, subject: `intent:${won.id}` }
      await keepEvidence(rig.database.db, subject, {
        blockNumber: Number(blockNumber),
        accountProof: proof.accountProof,
        storageProofs: proof.storageProof.map(({ proof: nodes }, at) => ({
          slot: slots[at] as Hex,
          proof: nodes,
        })),
      })
      const isDeep = async () => {
        const { chains } = (await rig.strict.get('/chains')).body
        const known = chains.find(
          (one: { chainId: string }) => one.chainId === String(base.chainId),
        )
        return known.safeBlock >= blockNumber
      }
      await rig.until(isDeep, 'the evidence is deep')
      const at = now()
      const message = getRecipientsMessage(won.id, base.chainId, at)
      const headers = {
        'x-solver-address': thief.address,
        'x-solver-signature': await thief.signMessage({ message }),
        'x-timestamp': String(at),
      }
      const answer = await whileNamed('solver', thief.address, () =>
        get(`/get-recipients/${won.id}`, headers),
      )
      expect(describeOutcome(answer)).toEqual([403, 'NOT_THE_WINNER'])
    })

    it('can’t become the sender by changing the index', async () => {
      const path = `/intent-private/${won.id}`
      await rig.deliver(won)
      await rig.completed(won.id)
      await rig.client.query('delete from app.bundle where intent_id = $1', [String(won.id)])
      const answer = await whileNamed('sender', rig.stranger.address, async () =>
        get(path, await headersOf(rig.stranger)),
      )
      expect(describeOutcome(answer)).toEqual([403, 'NOT_A_READER'])
      const isRead = async () => {
        const { status } = await rig.strict.get(path, await headersOf(rig.sender))
        return status === 200
      }
      await rig.until(isRead, 'the row that is the sender’s again')
    })

    it('can’t become a viewer by forging a bundle', async () => {
      const { sourceChainId, sender: user, paramsHash } = (await rig.stored(won.id))!.source
      const viewer = lower(rig.stranger.address)
      const { blob } = await rig.enclave.sealBlob({
        sourceChainId,
        intentId: won.id,
        user,
        bridge: lower(rig.base.contracts.bridge),
        paramsHash,
        createdAt: 1,
        n: 1,
        salt: `0x${'00'.repeat(32)}`,
        recipients: [viewer],
        amounts: [1n],
        metadata: {},
        viewers: [viewer],
      })
      await rig.client.query(
        `insert into app.bundle (source_chain_id, intent_id, params_hash, n, is_signed, sealed, stored_at)
         values ($1, $2, $3, 1, true, $4, 1)`,
        [sourceChainId, String(won.id), ...[paramsHash, blob].map(bytesOf)],
      )
      const answer = await get(`/intent-private/${won.id}`, await headersOf(rig.stranger))
      expect(describeOutcome(answer)).toEqual([403, 'NOT_A_READER'])
    })
  })
}

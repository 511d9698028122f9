import type { Hex } from 'viem'
import { expect, test } from 'vitest'
import {
  addressesOf,
  compat,
  create,
  generate,
  HORIZEN,
  type Reply,
  register,
  rig,
  strict,
  wallet,
  walletOf,
} from './recipientsTestbed.ts'

/** Attacks on recipients by a hand in the relayer's database, on a scene that is open. */
export function describeForgedRows(): void {
  const thief = `0x${'7e'.repeat(20)}`
  const key = Buffer.alloc(65, 4)
  const bytesOf = (hex: Hex) => Buffer.from(hex.slice(2), 'hex')

  test('a registration returns the enclave’s keys, whatever the wallet’s row says', async () => {
    const victim = walletOf('a wallet whose keys were exchanged')
    const keysOf = ({ body: { spendPubKey, viewPubKey } }: Reply) => [spendPubKey, viewPubKey]
    const first = await register(strict, victim)
    const recipientAddress = victim.address.toLowerCase() as Hex
    const { tags } = await rig.enclave.tagRecipients({ recipients: [{ recipientAddress }] })
    const [tag] = tags.flat().map(bytesOf)
    await rig.client.query(
      'update app.recipient set spend_pub_key = $2, view_pub_key = $2, ticket = $2 where tag = $1',
      [tag, key],
    )
    expect(keysOf(await register(strict, victim))).toEqual(keysOf(first))
    // The row is right again: without the enclave's ticket the wallet would be paid in public.
    const { rows } = await rig.client.query(
      'select spend_pub_key as spend, ticket from app.recipient where tag = $1',
      [tag],
    )
    expect(`0x${rows[0].spend.toString('hex')}`).toBe(first.body.spendPubKey)
    expect(rows[0].ticket).not.toEqual(key)
  })

  test('a wallet’s list has only addresses that the enclave derives, whatever rows say', async () => {
    const id = await create([])
    await rig.until(async () => (await rig.stored(id)) !== null, 'indexed')
    const { safeAddress, stealthAddress } = (await generate(compat, id)).body
    const forged = [thief, key, Buffer.alloc(64, 7)]
    await rig.client.query(
      `update app.stealth_entry set stealth_address = $2, safe_address = $2, ephemeral_pub_key = $3,
         ticket = $4 where intent_id = $1`,
      [String(id), ...forged],
    )
    const invented = `0x${'7f'.repeat(20)}`
    await rig.client.query(
      `insert into app.stealth_entry (tag, chain_id, intent_id, delivery_index, stealth_address,
         ephemeral_pub_key, view_tag, safe_address, salt_nonce, ticket, created_at)
       select tag, $4, n, 0, $2, $3, 0, '0x' || right($2, 39) || abs(n) % 10, 0, '\\x00', 9999999999
       from app.stealth_entry, unnest(array[-1, 8, 1e77]) as n where intent_id = $1`,
      [String(id), invented, key, HORIZEN],
    )
    const listed = await addressesOf(compat, wallet)
    expect(listed.find(({ intentId }) => intentId === String(id))).toMatchObject({
      address: stealthAddress,
      safeAddress,
    })
    const told = JSON.stringify(listed).toLowerCase()
    expect(told).not.toContain(thief.slice(2, -1))
    expect(told).not.toContain(invented.slice(2, -1))
    // Nor does the database lead anybody else there.
    const { rows } = await rig.client.query(
      'select safe_address as safe from app.stealth_entry where intent_id = any($1)',
      [[String(id), '8']],
    )
    expect(rows.map(({ safe }) => safe)).toContain(safeAddress.toLowerCase())
    expect(rows.map(({ safe }) => safe)).not.toContain(thief)
    await rig.client.query(
      'delete from app.stealth_entry where intent_id = any($1) or intent_id < 0',
      [['8', `1${'0'.repeat(77)}`]],
    )
  })
}

import type pg from 'pg'
import { type Hex, toHex } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { predictSafe } from '../../../core/safe/predictSafe.ts'
import { safeTransactionHash } from '../../../sdk/safe/safeTransaction.ts'
import { findEntryOfSafe } from '../../../services/relayer/recipients/entries/findStealthEntries.ts'
import {
  deploySafe,
  deploySiblings,
} from '../../../services/relayer/recipients/sponsored/deploySafe.ts'
import { relaySafeTransaction } from '../../../services/relayer/recipients/sponsored/relaySafeTransaction.ts'
import { requirePaidSafe } from '../../../services/relayer/recipients/sponsored/requirePaidSafe.ts'
import type { Sponsorship } from '../../../services/relayer/recipients/sponsored/sponsorContext.ts'

const CHAIN = 2651420

type Opened = {
  client(): pg.Client
  sponsorshipWith(node?: object, change?: Partial<Sponsorship>): Sponsorship
  /** A settled intent. */
  intentId: bigint
  /** A token that the chain's bridge lists. */
  listed: Hex
}

/** Tests which Safes the relayer pays for, and who may ask, with an open database and a fake node. */
export function describePaidSafes({ client, sponsorshipWith, intentId, listed }: Opened): void {
  const safe: Hex = `0x${'5a'.repeat(20)}`

  describe('a Safe with a delivery', () => {
    /** Checks a Safe that has held the token since block `since`, with a node whose latest block is `head`. */
    async function asked(
      head: bigint,
      since: bigint,
      token: Hex,
      change: Partial<Sponsorship> = {},
    ) {
      const blocks = new Set<bigint>()
      const call = async ({ to, blockNumber }: { to: Hex; blockNumber: bigint }) => {
        if (blockNumber < 0n) throw new Error('no such block')
        blocks.add(blockNumber)
        return { data: toHex(to === token && blockNumber >= since ? 1n : 0n, { size: 32 }) }
      }
      const node = { getBlockNumber: async () => head, call }
      const code = await requirePaidSafe(sponsorshipWith(node, change), safe).then(
        () => 'paid',
        (error) => error.code,
      )
      return { code, blocks: [...blocks] }
    }

    test('counts as paid in a token that the bridge or the configuration lists', async () => {
      const of = async (token: Hex, tokens: Hex[] = []) =>
        (await asked(50n, 1n, token, { tokens })).code
      const configured = `0x${'70'.repeat(20)}` as Hex
      expect(await of(listed)).toBe('paid')
      expect(await of(configured, [configured])).toBe('paid')
      expect(await of(configured)).toBe('SAFE_NOT_PAID')
      // A delisted token, and one that only another chain's bridge lists.
      for (const digit of ['e', 'f'])
        expect(await of(`0x${digit.repeat(40)}`), digit).toBe('SAFE_NOT_PAID')
    })

    test('counts as paid once its payment has the confirmations, at most a hundred of them', async () => {
      expect(await asked(50n, 48n, listed)).toEqual({ code: 'paid', blocks: [48n] })
      expect((await asked(50n, 49n, listed)).code).toBe('PAYMENT_UNCONFIRMED')
      const deep = { confirmations: 300 }
      expect(await asked(500n, 400n, listed, deep)).toEqual({ code: 'paid', blocks: [400n] })
      // The chain is younger than that.
      expect((await asked(1n, 0n, listed)).code).toBe('PAYMENT_UNCONFIRMED')
    })
  })

  describe('a request', () => {
    const accountOf = (byte: string) => privateKeyToAccount(`0x${byte.repeat(32)}`)
    const [owner, spender, other] = ['11', '22', '33'].map(accountOf) as [
      PrivateKeyAccount,
      PrivateKeyAccount,
      PrivateKeyAccount,
    ]
    const deployed = { getCode: async () => '0x60' }
    const absent = {
      getCode: async () => undefined,
      getBlockNumber: async () => 50n,
      call: async () => ({ data: '0x' }),
    }

    /** Writes an account's Safe, whose recipient has this spend key. @returns its address */
    async function issue(
      { address }: PrivateKeyAccount,
      spend: PrivateKeyAccount,
      isStrangers = false,
    ): Promise<Hex> {
      const safeAddress = predictSafe(address, CHAIN).address
      const tag = `sha256($1::text::bytea)`
      const values = [address.toLowerCase()]
      await client().query(
        `insert into app.recipient (tag, spend_pub_key, view_pub_key)
         values (${tag}, $2, $2) on conflict do nothing`,
        [...values, Buffer.from(spend.publicKey.slice(2), 'hex')],
      )
      await client().query(
        `insert into app.stealth_entry (tag, chain_id, intent_id, stealth_address,
           ephemeral_pub_key, view_tag, safe_address, salt_nonce, ticket, created_at, asked_by)
         values (${tag}, $2, $3, $1, decode(repeat('04', 65), 'hex'), 1, $4, 0, '', 0,
           case when $5 then sha256('a') end)`,
        [...values, CHAIN, String(intentId), safeAddress, isStrangers],
      )
      return safeAddress
    }

    async function ask(by: PrivateKeyAccount, node: object) {
      const charged: Hex[] = []
      const message = `DEPLOY_SAFE:${owner.address}:${CHAIN}`
      const signature = await by.signMessage({ message })
      const requester = { client: 'a client', charge: (one: Hex) => void charged.push(one) }
      const request = { stealthAddress: owner.address, signature }
      const code = await deploySafe(sponsorshipWith(node), requester, request).then(
        ({ transactionId, isNew }) => ({ transactionId, isNew }),
        (error) => error.code,
      )
      return { code, charged }
    }

    test('to deploy a Safe is accepted from its stealth key and its recipient’s spend key alone', async () => {
      const safeAddress = await issue(owner, spender)
      await issue(other, other)
      // It is already deployed, so nothing is charged.
      const nothing = { code: { transactionId: null, isNew: false }, charged: [] }
      expect(await ask(owner, deployed)).toEqual(nothing)
      expect(await ask(spender, deployed)).toEqual(nothing)
      expect(await ask(other, deployed)).toEqual({ code: 'INVALID_SIGNATURE', charged: [] })
      expect(await ask(owner, absent)).toEqual({ code: 'SAFE_NOT_PAID', charged: [safeAddress] })
    })

    test('to deploy a Safe is sent with little more gas than it needs, and sent again if it deployed nothing', async () => {
      const safeAddress = await issue(owner, spender)
      const calls: object[] = []
      const paid = {
        ...absent,
        call: async () => ({ data: toHex(1n, { size: 32 }) }),
        getGasPrice: async () => 9n,
        request: async ({ params: [call] }: { params: [object] }) => {
          calls.push(call)
          return toHex(100_000n)
        },
      }
      const first = await ask(owner, paid)
      expect(first).toMatchObject({ code: { isNew: true }, charged: [safeAddress] })
      expect(calls).toHaveLength(2)
      for (const call of calls)
        expect(call).toMatchObject({ gas: toHex(1_500_000n), gasPrice: '0x9' })
      const read = async () => {
        const { rows } = await client().query(
          'select gas_limit::int as gas, payer, state, round from app.transaction',
        )
        return rows
      }
      const sent = { gas: 120_000, payer: `intent ${intentId}`, state: 'chosen' }
      expect(await read()).toEqual([{ ...sent, round: 0 }])
      const { transactionId } = first.code
      expect(await ask(owner, paid)).toEqual({ code: { transactionId, isNew: false }, charged: [] })
      await client().query(`update app.transaction set state = 'superseded'`)
      expect(await ask(owner, paid)).toMatchObject({ code: { transactionId, isNew: true } })
      expect(await read()).toEqual([{ ...sent, round: 1 }])
      // Its intent's other Safe, which nobody requested, counts against no client.
      const entry = (await findEntryOfSafe(sponsorshipWith().db, CHAIN, safeAddress))!
      await deploySiblings(sponsorshipWith(paid), entry)
      expect(await read()).toHaveLength(2)
      const { rows } = await client().query('select count from app.sponsored_client')
      expect(rows).toEqual([{ count: 2 }])
    })

    test('for a Safe that the sender named deploys its siblings too; a stranger’s doesn’t', async () => {
      const entryOf = async (safeAddress: Hex) => {
        const { db } = sponsorshipWith()
        return (await findEntryOfSafe(db, CHAIN, safeAddress))!
      }
      const own = await entryOf(await issue(owner, spender))
      const strangers = await entryOf(await issue(other, other, true))
      await issue(spender, spender)
      const gone = { getCode: () => Promise.reject(new Error('no node')) }
      await deploySiblings(sponsorshipWith(gone), strangers)
      await deploySiblings(sponsorshipWith(absent), own)
      await expect(deploySiblings(sponsorshipWith(gone), own)).rejects.toThrow('no node')
    })

    test('to relay a call finds the earlier transaction, only with the owner’s signature', async () => {
      const safeAddress = await issue(owner, spender)
      const call = { to: listed, value: 0n, data: '0x', operation: 0, nonce: 7n } as const
      const hash = safeTransactionHash({ chainId: CHAIN, safeAddress }, call)
      const { rows } = await client().query(
        `with t as (
           insert into app.transaction (kind, chain_id, effect, account, to_address, data, payer, state)
           select 'relaySafe', $1, effect, $3, $3, '0x', $3, 'chosen'
           from unnest(array['6', $2, '8']) effect returning id, effect)
         insert into app.sponsored_transaction (transaction_id, kind, chain_id, safe_address,
           safe_nonce, safe_tx_hash, reserved_wei)
         select id, 'relaySafe', $1, $3, case effect when $2 then 7 else effect::int end,
           case effect when $2 then $4 else sha256(effect::bytea) end, 0 from t
         order by effect = $2 desc returning transaction_id as id`,
        [CHAIN, hash, safeAddress, Buffer.from(hash.slice(2), 'hex')],
      )
      const relay = async (by: PrivateKeyAccount) => {
        const request = { ...call, safeAddress, signature: await by.sign({ hash }) }
        const node = { ...absent, getStorageAt: async () => '0x' }
        const requester = { client: null, charge: () => {} }
        return relaySafeTransaction(sponsorshipWith(node), requester, request).catch(
          (error) => error.code,
        )
      }
      expect(await relay(owner)).toBe(Number(rows[0].id))
      expect(await relay(other)).toBe('SAFE_NOT_DEPLOYED')
      for (const state of ['failed', 'superseded']) {
        await client().query(`update app.transaction set state = $1`, [state])
        expect(await relay(owner), state).toBe('SAFE_NOT_DEPLOYED')
      }
      await client().query(`update app.transaction set round = 2`)
      expect(await relay(owner)).toBe(Number(rows[0].id))
    })
  })
}

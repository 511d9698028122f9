import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { findLostChains } from '../../../services/relayer/recovery/findLostChains.ts'
import {
  type EventPart,
  NOT_DERIVED,
  type RecoveringEnclave,
  recoverChain,
} from '../../../services/relayer/recovery/recoverChain.ts'
import { certifyChain } from '../../../services/relayer/recovery/recoveryCertificate.ts'
import { migrate } from '../../../services/store/database/migrate.ts'
import type { BridgeEvent, Hex } from '../../../src/event/bridgeEvent.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'
import { createSealer, SEALED_CHAIN, sealedEvent } from '../../sealedHistory.ts'

// Invented histories and a fake enclave: `recovery.test.ts` has a real chain and enclave.

const { chainId, bridge } = SEALED_CHAIN
const WALLET: Hex = `0x${'c1'.repeat(20)}`
const PAYS_A_SAFE = { recipients: [WALLET], registered: [{ position: 0, isContract: false }] }

let postgres: PostgresUnderTest
let client: pg.Client
let sealer: ReturnType<typeof createSealer>
beforeAll(async () => {
  postgres = await startPostgresUnderTest()
  await migrate(postgres.databaseUrl)
  client = await postgres.connect()
})
afterAll(() => postgres?.stop())
beforeEach(async () => {
  sealer = createSealer()
  await client.query(
    'truncate app.recovery, app.bundle, app.stealth_entry, app.recipient, app.signed cascade',
  )
})

function run(parts: EventPart[], enclave: RecoveringEnclave = sealer.enclave, change = {}) {
  async function* history() {
    yield* parts
  }
  const chain = { ...SEALED_CHAIN, ...change }
  return recoverChain({ chain, parts: history(), enclave, client })
}

/** An intent anchored with the first blob; the others are appended. Each blob is in a part of its own. */
function partsOf(...blobs: Hex[]): EventPart[] {
  return blobs.map((blob, at) => {
    const type = at === 0 ? 'IntentAnchored' : 'BlobAppended'
    const created = at === 0 ? [sealedEvent('IntentCreated', 1, '0x', 1)] : []
    return { to: at + 1, events: [...created, sealedEvent(type, 1, blob, at + 1, 1)] }
  })
}

async function read(query: string) {
  return (await client.query(query)).rows
}

const nextBlock = async () =>
  Number((await read('select next_block from app.recovery'))[0].next_block)
const storedBlobs = async () =>
  (await read(`select '0x' || encode(sealed, 'hex') as blob from app.bundle`)).map(
    ({ blob }) => blob,
  )
const problems = async () =>
  (await read('select reason from app.recovery_problem')).map(({ reason }) => reason)

test('a run that is cut off within a part resumes after what it has written, and loses no blob', async () => {
  // More than the enclave opens at once, and than one transaction writes; three in each block.
  const intents = 6_000
  const events: BridgeEvent[] = []
  for (let sequence = 1; sequence <= intents; sequence++) {
    const block = Math.ceil(sequence / 3)
    events.push(sealedEvent('IntentCreated', sequence, '0x', block, 2 * sequence))
    const blob = sealer.seal(PAYS_A_SAFE)
    events.push(sealedEvent('IntentAnchored', sequence, blob, block, 2 * sequence + 1))
  }
  const parts = [{ to: intents / 3, events }]
  let opened = 0
  const counting = (most: number): RecoveringEnclave => ({
    ...sealer.enclave,
    openBlobs: async (request) => {
      if (opened + request.blobs.length > most) throw new Error('the power is gone')
      opened += request.blobs.length
      return sealer.enclave.openBlobs(request)
    },
  })
  await expect(run(parts, counting(5_000))).rejects.toThrow('the power is gone')
  const written = (await storedBlobs()).length
  expect(written).toBeGreaterThan(0)
  expect(written).toBeLessThanOrEqual(5_000)
  // A block is read again rather than left out.
  const next = await nextBlock()
  expect(3 * (next - 1)).toBeLessThanOrEqual(written)
  opened = 0
  const book = await run(parts, counting(intents))
  expect(book.intents.size).toBe(intents)
  expect(opened).toBe(intents - 3 * (next - 1))
  expect(await storedBlobs()).toHaveLength(intents)
  expect(await read('select count(*)::integer as safes from app.stealth_entry')).toEqual([
    { safes: intents },
  ])
  expect(await nextBlock()).toBe(intents / 3 + 1)
})

test('a part with exactly as many blobs as are opened at once is written completely', async () => {
  const events = Array.from({ length: 500 }, (_, at) => [
    sealedEvent('IntentCreated', at + 1, '0x'),
    sealedEvent('IntentAnchored', at + 1, sealer.seal({})),
  ])
  await run([{ to: 500, events: events.flat() }])
  expect(await storedBlobs()).toHaveLength(500)
  expect(await nextBlock()).toBe(501)
})

describe('of an intent’s bundles', () => {
  test('the one with the highest number stays, whatever the order and the parts they come in', async () => {
    const [second, first] = [sealer.seal({ n: 2, isSigned: true }), sealer.seal({ n: 1 })]
    await run(partsOf(second, first))
    expect(await storedBlobs()).toEqual([second])
    await client.query('truncate app.bundle, app.recovery cascade')
    const events = partsOf(second, first).flatMap((part) => part.events)
    await run([{ to: 2, events }])
    expect(await storedBlobs()).toEqual([second])
    // When it replaces a lower one, each column is as the chain has it.
    await client.query('truncate app.recovery cascade')
    await client.query('update app.bundle set n = 1, is_signed = false, stored_at = 1')
    await run(partsOf(second, first))
    expect(
      await read('select n::integer, is_signed as s, stored_at::integer as at from app.bundle'),
    ).toEqual([{ n: 2, s: true, at: 1_800_000_001 }])
  })

  test('the last of several with the same number stays', async () => {
    const [first, second] = [sealer.seal({}), sealer.seal({})]
    await run([{ to: 2, events: partsOf(first, second).flatMap((part) => part.events) }])
    expect(await storedBlobs()).toEqual([second])
  })

  test('one that got metadata after the chain’s last blob stays: the chain may never have that', async () => {
    const [anchored, appended, withMetadata] = [sealer.seal({}), sealer.seal({}), sealer.seal({})]
    await run(partsOf(anchored))
    await client.query('truncate app.recovery cascade')
    await client.query(
      `update app.bundle set stored_at = stored_at + 2, sealed = decode('${withMetadata.slice(2)}', 'hex')`,
    )
    await run(partsOf(anchored, appended))
    expect(await storedBlobs()).toEqual([withMetadata])
  })

  test('one that is on chain is replaced by a later one, whatever time a lying node or a fast clock gave it', async () => {
    const [anchored, appended] = [sealer.seal({}), sealer.seal({})]
    for (const parts of [
      partsOf(anchored, appended),
      [{ to: 2, events: partsOf(anchored, appended).flatMap((part) => part.events) }],
    ]) {
      await client.query('truncate app.bundle, app.recovery cascade')
      await run(partsOf(anchored))
      await client.query('truncate app.recovery cascade')
      await client.query('update app.bundle set stored_at = stored_at + 1000')
      await run(parts)
      expect(await storedBlobs()).toEqual([appended])
    }
  })
})

test('a part is written as a whole or not at all, and its failure ends the run', async () => {
  // No bundle has this size: it is refused after the Safe was written.
  const events = partsOf(sealer.seal(PAYS_A_SAFE, 511)).flatMap((part) => part.events)
  await expect(run([{ to: 1, events }])).rejects.toThrow('bundle')
  expect(await read('select from app.stealth_entry')).toEqual([])
  expect(await nextBlock()).toBe(1)
})

test('blocks without a blob are read once', async () => {
  await run([{ to: 50, events: [] }])
  expect(await nextBlock()).toBe(51)
})

test('another bridge’s history is read from its first block', async () => {
  const parts = partsOf(sealer.seal({}))
  await run(parts)
  await run([{ to: 1, events: [] }], sealer.enclave, { bridge: `0x${'b2'.repeat(20)}` })
  await run(parts)
  await client.query('delete from app.bundle')
  await run(parts, sealer.enclave, { bridge: `0x${'b2'.repeat(20)}` })
  expect(await storedBlobs()).toHaveLength(1)
  // Where earlier deliveries were made.
  const rows = await read('select bridge, former_bridges as former from app.recovery')
  const second = `0x${'b2'.repeat(20)}`
  expect(rows).toEqual([{ bridge: second, former: [second, bridge] }])
})

test('an earlier start block has everything read again, and forgets what couldn’t be opened', async () => {
  const parts = partsOf(sealer.seal({}), `0x${'99'.repeat(512)}`)
  await run([{ to: 2, events: parts[1]!.events }], sealer.enclave, { startBlock: 2 })
  await client.query('update app.recovery set finished_at = now()')
  await run(parts)
  expect(await storedBlobs()).toHaveLength(1)
  expect(await problems()).toEqual(['NOT_A_BLOB'])
  // A later start block doesn't, nor does the same one.
  await client.query('delete from app.bundle')
  await run(parts, sealer.enclave, { startBlock: 2 })
  await run(parts)
  expect(await storedBlobs()).toEqual([])
})

test('entries that assign a Safe to another wallet or intent are replaced', async () => {
  const parts = partsOf(sealer.seal(PAYS_A_SAFE))
  const entries = () => read(`select to_jsonb(e) - 'id' as entry from app.stealth_entry e`)
  await run(parts)
  const before = await entries()
  for (const change of [`tag = sha256('a stranger')`, `safe_address = '0x${'5a'.repeat(20)}'`]) {
    await client.query(`truncate app.recovery cascade; update app.stealth_entry set ${change}`)
    await run(parts)
    expect(await entries()).toEqual(before)
  }
})

test('a Safe that can’t be derived is a problem until a later run derives it', async () => {
  const parts = partsOf(sealer.seal(PAYS_A_SAFE), sealer.seal({ n: 1 }))
  sealer.lacking.add((BigInt(chainId) << 64n) | 1n)
  await run(parts)
  expect(await problems()).toEqual([NOT_DERIVED])
  const finish = 'update app.recovery set finished_at = now()'
  await client.query(finish)
  // Its block is read again, but the Safe still can't be derived.
  await run(parts)
  expect(await problems()).toEqual([NOT_DERIVED])
  expect(await read('select finished_at as at from app.recovery')).toEqual([{ at: null }])
  await client.query(finish)
  sealer.lacking.clear()
  await run(parts)
  expect(await problems()).toEqual([])
  expect(await read('select from app.stealth_entry')).toHaveLength(1)
})

test('wallets that were paid are kept forever', async () => {
  const parts = partsOf(sealer.seal(PAYS_A_SAFE))
  const kept = `select forget_at = 'infinity' as "isKept" from app.recipient`
  await run(parts)
  expect(await read(kept)).toEqual([{ isKept: true }])
  await client.query('update app.recipient set forget_at = default')
  await client.query('truncate app.recovery cascade')
  await run(parts)
  expect(await read(kept)).toEqual([{ isKept: true }])
})

describe('a chain’s certificate', () => {
  const certify = async (parts: EventPart[], created: bigint | null = null) => {
    const book = await run(parts)
    const blocks = { from: 1, to: 9, toHash: '0x09' as Hex }
    const chain = { chainId, name: 'base', bridge, blocks, nodes: {} as never }
    return certifyChain(client, chain, book, created)
  }

  test.each([
    ['the last one is missing', [1, 2], 3n, 1],
    ['all are missing', [], 3n, 3],
    ['an invented one stands for a missing one', [1, 3, 9], 3n, 1],
    ['no node says how many there are', [1, 3], null, 1],
  ])('counts what is missing, by the bridge’s own count: %s', async (_, ids, created, missing) => {
    const events = ids.map((sequence, at) => sealedEvent('IntentCreated', sequence, '0x', at + 1))
    const { intents } = await certify([{ to: 9, events }], created)
    expect(intents).toMatchObject({ count: ids.length, missing })
  })

  test('tells what is missing apart from what can’t be derived', async () => {
    const events = [1, 4].map((sequence) =>
      sealedEvent('IntentCreated', sequence, '0x99', sequence),
    )
    sealer.lacking.add((BigInt(chainId) << 64n) | 1n)
    const anchor = sealedEvent('IntentAnchored', 1, sealer.seal(PAYS_A_SAFE), 5)
    const certificate = await certify([{ to: 9, events: [...events, anchor] }])
    expect(certificate).toMatchObject({
      intents: { count: 2, missing: 2 },
      blobs: { seen: 3, opened: 1, unreadable: [{ block: 1 }, { block: 4 }] },
      stealthAddresses: { count: 0, notDerived: [{ block: 5 }] },
    })
  })

  test('counts its own intents’ Safes only, and hashes every bundle’s content', async () => {
    const bundle = (sequence: number, sealed: Hex) => [
      sealedEvent('IntentCreated', sequence, '0x', sequence),
      sealedEvent('IntentAnchored', sequence, sealed, sequence, 1),
    ]
    const blobs = [sealer.seal(PAYS_A_SAFE), sealer.seal({})] as const
    const parts = [{ to: 2, events: [...bundle(1, blobs[0]), ...bundle(2, blobs[1])] }]
    const { stateHash, stealthAddresses } = await certify(parts)
    expect(stealthAddresses.count).toBe(1)
    // The rows' order doesn't matter, nor do other chains' rows.
    await client.query(
      `with moved as (delete from app.bundle where intent_id % 2 = 1 returning *)
       insert into app.bundle select * from moved`,
    )
    await client.query(
      `insert into app.stealth_entry (tag, chain_id, intent_id, stealth_address, ephemeral_pub_key,
         view_tag, safe_address, salt_nonce, ticket, created_at)
       select tag, 1, other, '0x' || lpad(left(other::text, 30), 40, '0'), ephemeral_pub_key, 1,
         '0x' || lpad(left(other::text, 30), 40, '1'), 1, ticket, 1
       from app.stealth_entry, unnest(array[1, intent_id * 2]) as other`,
    )
    expect(await certify(parts)).toMatchObject({ stateHash, stealthAddresses: { count: 1 } })
    await client.query('update app.bundle set sealed = sealed || sealed where intent_id % 2 = 1')
    expect((await certify(parts)).stateHash).not.toBe(stateHash)
  })
})

describe('whether a service recovers a chain by itself', () => {
  const recovery = (more: string, of = bridge) =>
    `insert into app.recovery (chain_id, bridge, next_block, start_block, finished_at)
     values (84532, '${of}', 9, ${more})`

  test.each([
    ['of which it knows nothing', '', true],
    [
      'that has got a bundle since everything was lost',
      `insert into app.bundle (source_chain_id, intent_id, params_hash, n, is_signed, sealed, stored_at)
       values (84532, 1, sha256('a'), 0, false, decode(repeat('01', 512), 'hex'), 1)`,
      true,
    ],
    ['whose recovery has finished', recovery('1, now()'), false],
    ['whose recovery by an earlier version has finished', recovery('null, now()'), false],
    ['whose recovery was interrupted', recovery('1, null'), true],
    ['whose recovery began too late', recovery('2, now()'), true],
    ['with another bridge', recovery('1, now()', `0x${'b2'.repeat(20)}`), true],
  ])('one %s', async (_, given, isLost) => {
    await client.query(given)
    const lost = await findLostChains(postgres.databaseUrl, [SEALED_CHAIN])
    expect(lost).toEqual(isLost ? [SEALED_CHAIN] : [])
  })
})

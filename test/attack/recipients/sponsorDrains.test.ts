import { sql } from 'kysely'
import {
  concat,
  encodeFunctionData,
  type Hex,
  hashTypedData,
  keccak256,
  pad,
  parseAbi,
  parseEther,
  toHex,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SPONSOR_RATES } from '../../../api/rest/recipient/sponsorCoordinator.ts'
import { predictSafe } from '../../../core/safe/predictSafe.ts'
import { safeAbi, safeProxyFactoryAbi } from '../../../core/safe/safeAbi.ts'
import { findSafeContracts } from '../../../core/safe/safeContracts.ts'
import { deployCreate2 } from '../../../devnet/deploy/deployCreate2.ts'
import { SAFE_SUITE } from '../../../devnet/deploy/deploySafeSuite.ts'
import { multiSendCall } from '../../../sdk/safe/multiSend.ts'
import {
  execTransactionCall,
  safeTransactionDocument,
  safeTransactionHash,
} from '../../../sdk/safe/safeTransaction.ts'
import { createAccountSender } from '../../../services/chain/accountSender.ts'
import {
  AT_ONCE,
  type Made,
  OUTSIDE,
  type Reply,
  type SponsorRig,
  startSponsorRig,
  transferOf,
} from '../../integration/recipients/sponsorRig.ts'
import { describeUnpaidSafes } from './describeUnpaidSafes.ts'

const CHAIN = 2651420
const CONTRACTS = findSafeContracts(CHAIN)
const ownerAbi = parseAbi(['function swapOwner(address previous, address old, address next)'])

let rig: SponsorRig
let wallet: Awaited<ReturnType<SponsorRig['register']>>
let made: Made
beforeAll(async () => {
  rig = await startSponsorRig()
  wallet = await rig.register('somebody who wants more than their own')
  made = await rig.paid(wallet)
})
afterAll(() => rig?.stop())

/** Expects a refusal with this code and an unchanged relayer balance. */
async function costsNothing(code: string, attack: () => Promise<Reply>): Promise<Reply> {
  const before = await rig.payer()
  const answer = await attack()
  expect(answer.body).toMatchObject({ success: false, code })
  expect(await rig.payer()).toEqual(before)
  return answer
}

/** Deploys these bytes as a contract, from another account. */
async function contractOf(runtime: Hex): Promise<Hex> {
  const size = (runtime.length - 2) / 2
  const length = size.toString(16).padStart(2, '0')
  const initcode = `0x60${length}600c60003960${length}6000f3${runtime.slice(2)}` as Hex
  const [address] = await deployCreate2(rig.chain.client, rig.chain.senders[0]!, [initcode])
  return address!.toLowerCase() as Hex
}

/** The owner sends a transaction of its Safe by itself. */
async function byItself(
  { owner, safeAddress }: Made,
  to: Hex,
  data: Hex,
  operation: 0 | 1,
  nonce: bigint,
) {
  const { client } = rig.chain
  await client.setBalance({ address: owner.address, value: parseEther('1') })
  const transaction = { to, value: 0n, data, operation, nonce }
  const hash = safeTransactionHash({ chainId: CHAIN, safeAddress }, transaction)
  const call = execTransactionCall(transaction, await owner.sign({ hash }))
  await createAccountSender(client, owner, 50).execute({ to: safeAddress, data: call })
}

test('1: another owner’s genuine Safe costs the relayer nothing', async () => {
  const owner = privateKeyToAccount(keccak256(toHex('a stranger with a Safe')))
  const { address, initializer, saltNonce } = predictSafe(owner.address, CHAIN)
  const data = encodeFunctionData({
    abi: safeProxyFactoryAbi,
    functionName: 'createProxyWithNonce',
    args: [CONTRACTS.singleton, initializer, saltNonce],
  })
  await rig.chain.senders[0]!.execute({ to: CONTRACTS.proxyFactory, data })
  await rig.mint(address, 100n)
  const foreign = { ...made, owner, safeAddress: address, stealthAddress: owner.address as Hex }
  await costsNothing('UNKNOWN_SAFE', () => rig.relay(foreign))
  await costsNothing('UNKNOWN_SAFE', () => rig.deploy(foreign))
})

test('2: a proxy that only resembles a Safe costs the relayer nothing', async () => {
  const delivery = await rig.paid(wallet)
  const { client } = rig.chain
  const code = (await client.getCode({ address: delivery.safeAddress })) as Hex
  await client.setCode({ address: delivery.safeAddress, bytecode: concat([code, '0x00']) })
  await costsNothing('SAFE_NOT_OFFICIAL', () => rig.relay(delivery))
})

test('3: a Safe whose owner replaced its code costs the relayer nothing', async () => {
  const delivery = await rig.paid(wallet)
  // PUSH20 <address> PUSH0 SSTORE STOP: the singleton is in the first slot.
  const evil = await contractOf(`0x73${OUTSIDE.slice(2)}5f5500`)
  await byItself(delivery, evil, '0x', 1, 0n)
  const slot = await rig.chain.client.getStorageAt({ address: delivery.safeAddress, slot: '0x0' })
  expect(slot).toBe(pad(OUTSIDE))
  await costsNothing('SAFE_NOT_OFFICIAL', () => rig.relay(delivery, { nonce: 1n }))
})

describe('4: foreign code run as the Safe', () => {
  const batch = (data: Hex, to: Hex = CONTRACTS.multiSendCallOnly) => ({
    to,
    value: 0n,
    data,
    operation: 1 as const,
  })
  const nested = () => {
    const plain = multiSendCall([transferOf(rig, 1n), { to: OUTSIDE, value: 0n, data: '0x' }])
    // The operation of the second call is the byte before its address.
    const at = plain.lastIndexOf(`00${OUTSIDE.slice(2)}`)
    return `${plain.slice(0, at)}01${plain.slice(at + 2)}` as Hex
  }

  test('a delegate call costs the relayer nothing', async () => {
    await costsNothing('CALL_NOT_ALLOWED', () => rig.relay(made, batch('0x', OUTSIDE)))
  })

  test('a call of the library that allows nested delegate calls costs the relayer nothing', async () => {
    const [, multiSend] = SAFE_SUITE.MultiSend
    const to = multiSend.toLowerCase() as Hex
    await costsNothing('CALL_NOT_ALLOWED', () => rig.relay(made, batch(nested(), to)))
  })

  test('a delegate call inside a batch, which the library would refuse too, costs the relayer nothing', async () => {
    expect(nested()).not.toBe(
      multiSendCall([transferOf(rig, 1n), { to: OUTSIDE, value: 0n, data: '0x' }]),
    )
    await costsNothing('CALL_NOT_ALLOWED', () => rig.relay(made, batch(nested())))
  })

  test('a batch that is cut off, or holds something besides its calls, costs the relayer nothing', async () => {
    const whole = multiSendCall([transferOf(rig, 1n)])
    const broken: Hex[] = ['0x', '0x8d80ff0a', whole.slice(0, -2) as Hex, `${whole}00`]
    for (const data of broken)
      await costsNothing('CALL_NOT_ALLOWED', () => rig.relay(made, batch(data)))
  })

  test('an unknown operation costs the relayer nothing', async () => {
    await costsNothing('INVALID_REQUEST', () => rig.relay(made, {}, { operation: 2 }))
  })
})

test('5: the relayer refuses parameters that refund someone from the Safe or the relayer', async () => {
  for (const change of [
    { gasPrice: 1n },
    { baseGas: 1n },
    { safeTxGas: 1n },
    { refundReceiver: OUTSIDE },
    { gasToken: OUTSIDE },
  ]) {
    const at = { chainId: CHAIN, safeAddress: made.safeAddress }
    const document = safeTransactionDocument(at, {
      ...transferOf(rig, 1n),
      operation: 0,
      nonce: 0n,
    })
    const hash = hashTypedData({
      ...document,
      message: { ...document.message, ...change },
    } as never)
    const signature = await made.owner.sign({ hash })
    await costsNothing('INVALID_SIGNATURE', () => rig.relay(made, {}, { signature }))
    const reported = Object.fromEntries(
      Object.entries(change).map(([name, value]) => [name, String(value)]),
    )
    await costsNothing('INVALID_REQUEST', () => rig.relay(made, {}, { ...reported, signature }))
  }
})

describe('6: calls that burn gas', () => {
  test('a call that burns gas forever costs the relayer nothing', async () => {
    // JUMPDEST PUSH1 0 JUMP
    const to = await contractOf('0x5b600056')
    await costsNothing('RELAY_PROXY_REVERTED', () => rig.relay(made, { to, data: '0x' }))
  })

  test('a call that burns gas only when executed, not when simulated, costs the relayer nothing', async () => {
    // Stops at once where the gas price is 0, else runs for ever.
    const to = await contractOf('0x3a156009575b6005565b00')
    await costsNothing('RELAY_PROXY_REVERTED', () => rig.relay(made, { to, data: '0x' }))
  })

  test('a call that succeeds but needs more gas than the relayer pays for costs it nothing', async () => {
    // Counts down from 50,000: PUSH3 n JUMPDEST PUSH1 1 SWAP1 SUB DUP1 PUSH1 4 JUMPI STOP
    const to = await contractOf('0x6200c3505b600190038060045700')
    await costsNothing('RELAY_GAS_TOO_HIGH', () => rig.relay(made, { to, data: '0x' }))
  })
})

test('7: the relayer refuses nonces out of order and two transactions for one nonce', async () => {
  const delivery = await rig.paid(wallet)
  for (const nonce of [1n, 2n, 5n]) {
    const answer = await costsNothing('SAFE_NONCE_MISMATCH', () => rig.relay(delivery, { nonce }))
    expect(answer.body.details).toEqual({ expectedNonce: '0' })
  }
  await costsNothing('INVALID_SIGNATURE', () => rig.relay(delivery, { nonce: 1_000n }))
  const { sent } = await rig.payer()
  const both = await Promise.all(
    [1n, 2n].map((amount) => rig.relay(delivery, transferOf(rig, amount))),
  )
  expect(both.map(({ status }) => status).sort()).toEqual([200, expect.any(Number)])
  expect(both.filter(({ status }) => status === 200)).toHaveLength(1)
  expect((await rig.payer()).sent).toBe(sent + 1)
  await costsNothing('SAFE_NONCE_MISMATCH', () =>
    rig.relay(delivery, { ...transferOf(rig, 3n), nonce: 0n }),
  )
})

test('8: the relayer refuses signatures for another chain, Safe or call', async () => {
  const other = await rig.paid(wallet)
  const transaction = { ...transferOf(rig, 1n), operation: 0, nonce: 0n } as const
  const elsewhere = { chainId: 84532, safeAddress: made.safeAddress }
  const signature = await made.owner.sign({ hash: safeTransactionHash(elsewhere, transaction) })
  await costsNothing('INVALID_SIGNATURE', () => rig.relay(made, {}, { signature }))
  await costsNothing('UNSUPPORTED_CHAIN', () => rig.relay(made, {}, { chainId: '84532' }))
  await costsNothing('INVALID_SIGNATURE', () =>
    rig.relay(made, {}, { safeAddress: other.safeAddress }),
  )
  await costsNothing('INVALID_SIGNATURE', () => rig.relay(made, {}, { to: OUTSIDE }))
  // Signatures that a Safe takes by other means than a key: a contract's, and an approval on chain.
  for (const v of ['00', '01']) {
    const word = pad(made.stealthAddress).slice(2)
    await costsNothing('INVALID_SIGNATURE', () =>
      rig.relay(made, {}, { signature: `0x${word}${'00'.repeat(32)}${v}` }),
    )
  }
})

describe('9: floods', () => {
  test('a flood of wrong signatures is refused one by one, and only 60 at once are checked', async () => {
    const rates = { unproven: { perSecond: 0.001, burst: 60 } }
    const post = await rig.openApi({ rates })
    const body = await rig.relayBody(made, {}, { signature: `0x${'11'.repeat(65)}` })
    const before = await rig.payer()
    const statuses = []
    for (let at = 0; at < 60; at++) statuses.push((await post('relay-proxy', body)).status)
    expect(statuses).toEqual(Array(60).fill(400))
    const refused = await post('relay-proxy', body)
    expect([refused.status, refused.body.code]).toEqual([429, 'RATE_LIMITED'])
    // The headers are of the limit that ran out, not of the requests, of which there are plenty.
    expect(refused.headers.get('ratelimit-policy')).toBe('"unproven-signatures";q=60;w=60000')
    expect(refused.headers.get('ratelimit')).toMatch(/^"unproven-signatures";r=0;t=\d+$/)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await rig.payer()).toEqual(before)
  })

  // What a limit gives back while a busy machine is at work would otherwise decide.
  const givesNothingBack = ({ burst }: { burst: number }) => ({ perSecond: 0.001, burst })
  const { safe, client } = SPONSOR_RATES
  const rates = { safe: givesNothingBack(safe), client: givesNothingBack(client) }

  test('a Safe gets one transaction in five seconds, a client ten a minute', () => {
    expect({ safe, client }).toEqual({
      safe: { perSecond: 1 / 5, burst: 1 },
      client: { perSecond: 10 / 60, burst: 10 },
    })
  })

  test('a client gets ten transactions at once, and each Safe waits only for itself', async () => {
    const post = await rig.openApi({ rates })
    const made = []
    for (let at = 0; at < 11; at++) made.push(await rig.paid(wallet))
    const bodies = await Promise.all(made.map((one) => rig.relayBody(one, {})))
    const answers = await Promise.all(bodies.map((body) => post('relay-proxy', body)))
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(10).fill(200), 429])
    const refused = answers.find(({ status }) => status === 429)
    expect(refused?.headers.get('ratelimit-policy')).toBe('"sponsored-client";q=10;w=10000')
    // A Safe's own limit counts first: what it refuses costs the client nothing.
    const sent = answers.findIndex(({ status }) => status === 200)
    const again = await post('relay-proxy', await rig.relayBody(made[sent]!, { nonce: 1n }))
    expect(again.headers.get('ratelimit')).toMatch(/^"sponsored-safe";r=0;t=\d+$/)
  })

  test('a client gets no more than its Safes’ limits allow', async () => {
    const post = await rig.openApi({ rates: { client: { perSecond: 0.001, burst: 1 } } })
    const [first, second] = [await rig.paid(wallet), await rig.paid(wallet)]
    expect(await post('relay-proxy', await rig.relayBody(first, {}))).toMatchObject({ status: 200 })
    const refused = await costsNothing('RATE_LIMITED', async () =>
      post('relay-proxy', await rig.relayBody(second, {})),
    )
    expect(refused.headers.get('ratelimit-policy')).toBe('"sponsored-client";q=1;w=1000')
  })

  test('a Safe gets one transaction at once, and false signatures don’t count', async () => {
    const delivery = await rig.paid(wallet)
    const post = await rig.openApi({ rates })
    const bad = await rig.relayBody(delivery, {}, { signature: `0x${'11'.repeat(65)}` })
    await costsNothing('INVALID_SIGNATURE', () => post('relay-proxy', bad))
    const good = await rig.relayBody(delivery, {})
    expect(await post('relay-proxy', good)).toMatchObject({ status: 200 })
    const next = await rig.relayBody(delivery, { nonce: 1n })
    const limited = await costsNothing('RATE_LIMITED', () => post('relay-proxy', next))
    expect(limited.headers.get('ratelimit-policy')).toBe('"sponsored-safe";q=1;w=1000')
    // Repeating a sent request returns its result without another transaction.
    expect(await post('relay-proxy', good)).toMatchObject({ status: 200 })
  })

  test('requests for the many addresses of one wallet are limited', async () => {
    const rich = await rig.register('somebody with a thousand addresses')
    const { tags } = await rig.enclave.tagRecipients({
      recipients: [{ recipientAddress: rich.address.toLowerCase() as Hex }],
    })
    // On a chain that the enclave doesn't know, so that it derives none of them.
    await sql`
      insert into app.stealth_entry (tag, chain_id, intent_id, delivery_index, stealth_address,
        ephemeral_pub_key, view_tag, safe_address, salt_nonce, ticket, created_at)
      select decode(${tags[0]![0]!.slice(2)}, 'hex'), 1, n, 0, '0xaa' || lpad(to_hex(n), 38, '0'),
        decode(repeat('04', 65), 'hex'), 0, '0xbb' || lpad(to_hex(n), 38, '0'), 1, '\\x00', 1
      from generate_series(1, 1000) as n`.execute(rig.db)
    const signature = await rich.signMessage({ message: `REGISTER_STEALTH:${rich.address}` })
    const headers = { 'x-recipient-signature': signature }
    const list = () => fetch(`${rig.url}/recipient/addresses?address=${rich.address}`, { headers })
    const registerAgain = () => rig.post('register', { recipientAddress: rich.address, signature })
    const floodWith = async (ask: () => Promise<{ status: number }>) => {
      const statuses: number[] = []
      while (statuses.length < 80 && !statuses.includes(429)) {
        const answers = await Promise.all([ask(), ask(), ask(), ask()])
        statuses.push(...answers.map(({ status }) => status))
      }
      return statuses
    }
    const listed = await floodWith(list)
    expect(new Set(listed)).toEqual(new Set([200, 429]))
    expect(listed.length).toBeGreaterThan(8)
    // A registration lists them too.
    expect(await floodWith(registerAgain)).toContain(429)
    await sql`delete from app.stealth_entry where chain_id = 1`.execute(rig.db)
  })

  test.each([
    ['of a Safe', { perSafe: 2 }],
    ['of a client', { perClient: 0 }],
    ['of the chain', { weiPerDay: 1n }],
  ])('the relayer refuses calls beyond the day’s budget %s', async (_, limits) => {
    const delivery = await rig.paid(wallet)
    await rig.relay(delivery)
    const post = await rig.openApi({ ...AT_ONCE, limits })
    const body = await rig.relayBody(delivery, { nonce: 1n })
    const answer = await costsNothing('RELAY_BUDGET_SPENT', () => post('relay-proxy', body))
    expect(answer.status).toBe(429)
    // Requests within the budget still are.
    expect(await rig.post('relay-proxy', body)).toMatchObject({ status: 200 })
  })
})

describeUnpaidSafes(() => ({ rig, wallet, costsNothing }))

test('a Safe that a row falsely names isn’t deployed', async () => {
  const thief = `0x${'7e'.repeat(20)}` as const
  await rig.mint(thief, 100n)
  const delivery = await rig.delivered(wallet)
  await sql`update app.stealth_entry set safe_address = ${thief}
    where safe_address = ${delivery.safeAddress}`.execute(rig.db)
  await costsNothing('UNKNOWN_SAFE', () => rig.deploy(delivery))
})

test('11: a Safe whose owner has changed costs the relayer nothing', async () => {
  const delivery = await rig.paid(wallet)
  const next = privateKeyToAccount(keccak256(toHex('who bought a Safe')))
  const sentinel = `0x${'00'.repeat(19)}01` as const
  const data = encodeFunctionData({
    abi: ownerAbi,
    functionName: 'swapOwner',
    args: [sentinel, delivery.stealthAddress, next.address],
  })
  // What the owner does with its Safe is its own affair, and this much is paid for.
  expect(await rig.relay(delivery, { to: delivery.safeAddress, data })).toMatchObject({
    status: 200,
  })
  const address = delivery.safeAddress
  const owners = await rig.chain.client.readContract({
    address,
    abi: safeAbi,
    functionName: 'getOwners',
  })
  expect(owners).toEqual([next.address])
  await costsNothing('SAFE_OWNER_CHANGED', () => rig.relay(delivery, { nonce: 1n }))
  await costsNothing('SAFE_OWNER_CHANGED', () =>
    rig.relay({ ...delivery, owner: next }, { nonce: 1n }),
  )
})

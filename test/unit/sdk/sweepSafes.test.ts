import {
  ContractFunctionZeroDataError,
  encodeEventTopics,
  erc20Abi,
  getAddress,
  type Hex,
  HttpRequestError,
  keccak256,
  numberToHex,
  type PublicClient,
  RpcRequestError,
  recoverAddress,
  TransactionReceiptNotFoundError,
  toHex,
  UserRejectedRequestError,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { CairnError } from '../../../sdk/errors/cairnError.ts'
import { type SweepContext, type SweptSafe, sweepSafes } from '../../../sdk/recipient/sweepSafes.ts'
import type { RelayRequest } from '../../../sdk/relayer/relayerClient.ts'
import type { StealthEntry } from '../../../sdk/relayer/relayerResponses.ts'
import { safeTransactionHash } from '../../../sdk/safe/safeTransaction.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const CHAIN = 84532
const TO = `0x${'0e'.repeat(20)}` as const
const TOKEN = `0x${'0a'.repeat(20)}` as const

function entry(number: number): StealthEntry {
  const safeAddress = `0x${toHex(number).slice(2).padStart(40, '0')}` as const
  const balances = [{ token: TOKEN, balance: 5n, isListed: true }]
  return { chainId: CHAIN, address: safeAddress, safeAddress, balances } as unknown as StealthEntry
}

const KEY = keccak256('0x01')
const EXECUTED = keccak256(toHex('ExecutionSuccess(bytes32,uint256)'))

/** A token's log that the Safe's whole balance, or another amount, went to the receiver or somebody else. */
function transferLog({ from, to = TO, value = 5n }: { from: Hex; to?: Hex; value?: bigint }) {
  const topics = encodeEventTopics({ abi: erc20Abi, eventName: 'Transfer', args: { from, to } })
  return { address: TOKEN, topics, data: numberToHex(value, { size: 32 }) }
}

type Receipt = { status: string; blockNumber: bigint; logs: object[] }

/** A chain on which each Safe holds 5 of a token until a transaction of it is mined. */
function createChain() {
  const receipts = new Map<Hex, Receipt>()
  const emptied = new Set<Hex>()
  const publicClient = {
    readContract: async ({ functionName, args }: { functionName: string; args?: [Hex] }) =>
      functionName === 'nonce' || emptied.has(args![0]) ? 0n : 5n,
    getBlockNumber: async () => BigInt(receipts.size),
    getCode: async () => '0x60',
    call: async () => ({ data: undefined }),
    getTransactionReceipt: async ({ hash }: { hash: Hex }) => {
      const receipt = receipts.get(hash)
      if (receipt === undefined) throw new TransactionReceiptNotFoundError({ hash })
      return receipt
    },
  }
  /** Mines what a Safe's owner has signed. */
  const mine = async ({ safeAddress, chainId, signature, ...call }: RelayRequest) => {
    const signed = safeTransactionHash({ chainId, safeAddress }, { ...call, nonce: 0n })
    const owner = privateKeyToAccount(KEY).address
    expect(await recoverAddress({ hash: signed, signature })).toBe(owner)
    const hash = keccak256(toHex(receipts.size))
    const executed = { address: safeAddress, topics: [EXECUTED, signed] }
    const logs = [executed, transferLog({ from: safeAddress })]
    receipts.set(hash, { status: 'success', blockNumber: BigInt(receipts.size + 1), logs })
    emptied.add(safeAddress)
    return hash
  }
  return { publicClient, receipts, emptied, mine }
}

function contextWith(
  relayProxy: (request: RelayRequest) => Promise<Hex>,
  { publicClient }: Pick<ReturnType<typeof createChain>, 'publicClient'> = createChain(),
): SweepContext {
  return {
    relayer: { relayProxy },
    chains: [
      {
        name: 'base_sepolia',
        chainId: CHAIN,
        bridge: TO,
        publicClient: publicClient as unknown as PublicClient,
      },
    ],
    recipient: { address: TO, list: async () => [], stealthKey: async () => KEY },
  } as unknown as SweepContext
}

async function sweepAll(context: SweepContext, entries: StealthEntry[]): Promise<SweptSafe[]> {
  const sweeping = sweepSafes(context, { entries, to: TO })
  sweeping.catch(() => {})
  await vi.runAllTimersAsync()
  return sweeping
}

test('sweep() waits for the relayer’s rate limit instead of reporting a failure', async () => {
  const chain = createChain()
  const refusedUntil = Date.now() + 20_000
  const relayProxy = async (request: RelayRequest) => {
    if (chain.receipts.size === 1 && Date.now() < refusedUntil)
      throw new CairnError('RATE_LIMITED', 'too fast')
    return chain.mine(request)
  }
  const context = contextWith(relayProxy, chain)
  const sweeping = sweepSafes(context, { entries: [entry(1), entry(2)], to: TO })
  await vi.runAllTimersAsync()
  expect((await sweeping).map(({ error, txHash }) => [error, txHash])).toEqual([
    [null, keccak256(toHex(0))],
    [null, keccak256(toHex(1))],
  ])
})

test('sweep() reports the rate limit if it still refuses a Safe after a minute', async () => {
  const relayProxy = async () => {
    throw new CairnError('RATE_LIMITED', 'too fast')
  }
  const sweeping = sweepSafes(contextWith(relayProxy), { entries: [entry(1)], to: TO })
  await vi.runAllTimersAsync()
  expect((await sweeping).map(({ error }) => error?.code)).toEqual(['RATE_LIMITED'])
})

test('sweep() calls no Safe empty whose token doesn’t answer', async () => {
  const context = contextWith(async () => keccak256('0x01'))
  const [chain] = context.chains
  Object.assign(chain!.publicClient!, {
    readContract: async () => {
      throw new ContractFunctionZeroDataError({ functionName: 'balanceOf' })
    },
  })
  const [swept] = await sweepSafes(context, { entries: [entry(1)], to: TO })
  expect(swept).toMatchObject({ moved: [], left: [{ token: TOKEN, amount: 5n }], txHash: null })
  expect(swept?.error?.code).toBe('CONTRACT_REVERTED')
})

const UNSHOWN = { moved: [], txHash: null }
const MADE_UP = keccak256('0x99')

test('sweep() takes no hash that the chain doesn’t know for a withdrawal', async () => {
  const [swept] = await sweepAll(
    contextWith(async () => MADE_UP),
    [entry(1)],
  )
  expect(swept).toMatchObject(UNSHOWN)
  const { code, retryable, details, message } = swept!.error!
  expect({ code, retryable, details }).toEqual({
    code: 'ANSWER_INVALID',
    retryable: true,
    details: { txHash: MADE_UP },
  })
  expect(message).toContain('sweep again')
})

test('sweep() waits no longer for a withdrawal to be shown when the clock is set back', async () => {
  const sweeping = sweepSafes(
    contextWith(async () => {
      setTimeout(() => vi.setSystemTime(Date.now() - 3_600_000), 30_000)
      return MADE_UP
    }),
    { entries: [entry(1)], to: TO },
  )
  await vi.advanceTimersByTimeAsync(90_000)
  expect(await sweeping).toMatchObject([{ error: { code: 'ANSWER_INVALID' } }])
})

test('sweep() takes no other mined transaction for a withdrawal, nor one that moved nothing', async () => {
  const chain = createChain()
  const ofAnother = await sweepAll(contextWith(chain.mine, chain), [entry(1)])
  expect(ofAnother[0]?.error).toBe(null)
  const answered = contextWith(async () => ofAnother[0]!.txHash!, chain)
  const [swept] = await sweepAll(answered, [entry(2)])
  expect(swept).toMatchObject({ ...UNSHOWN, error: { code: 'ANSWER_INVALID' } })
  const other = createChain()
  const signsAnother = async (request: RelayRequest) => {
    const hash = await other.mine(request)
    other.receipts.get(hash)!.logs = [{ address: request.safeAddress, topics: [EXECUTED, MADE_UP] }]
    return hash
  }
  const [unsigned] = await sweepAll(contextWith(signsAnother, other), [entry(1)])
  expect(unsigned).toMatchObject({ ...UNSHOWN, error: { code: 'ANSWER_INVALID' } })
})

test.each([
  ['nothing moved', () => []],
  ['less moved', (from: Hex) => [transferLog({ from, value: 4n })]],
  ['it went to another', (from: Hex) => [transferLog({ from, to: `0x${'bb'.repeat(20)}` })]],
  ['another paid it', () => [transferLog({ from: `0x${'bb'.repeat(20)}` })]],
])('sweep() takes no emptied Safe for a withdrawal when %s: a relayer could name a contract of its own', async (_, transfers) => {
  const chain = createChain()
  const relay = async (request: RelayRequest) => {
    const hash = await chain.mine(request)
    const receipt = chain.receipts.get(hash)!
    receipt.logs = [receipt.logs[0]!, ...transfers(request.safeAddress)]
    return hash
  }
  const [swept] = await sweepAll(contextWith(relay, chain), [entry(1)])
  expect(swept).toMatchObject({ ...UNSHOWN, error: { code: 'ANSWER_INVALID' } })
})

test('sweep() doesn’t count one withdrawal twice: a fake Safe needn’t increment its nonce', async () => {
  const chain = createChain()
  chain.emptied.add = () => chain.emptied
  const [first] = await sweepAll(contextWith(chain.mine, chain), [entry(1)])
  expect(first?.error).toBe(null)
  const again = contextWith(async () => first!.txHash!, chain)
  const [second] = await sweepAll(again, [entry(1)])
  expect(second).toMatchObject({ ...UNSHOWN, error: { code: 'ANSWER_INVALID' } })
})

test('sweep() empties a Safe of two tokens where Safe’s contracts have other addresses', async () => {
  const chain = createChain()
  const sent: RelayRequest[] = []
  const relay = async (request: RelayRequest) => {
    sent.push(request)
    return chain.mine(request)
  }
  const context = contextWith(relay, chain)
  const multiSendCallOnly = `0x${'55'.repeat(20)}` as const
  const chains = context.chains.map((one) => ({ ...one, multiSendCallOnly }))
  const dust = { token: `0x${'0d'.repeat(20)}` as const, balance: 1n, isListed: true }
  const two = { ...entry(1), balances: [...entry(1).balances, dust] }
  await sweepAll({ ...context, chains }, [two])
  expect(sent[0]).toMatchObject({ to: multiSendCallOnly, operation: 1 })
})

test('sweep() counts a token once even if the relayer lists it twice', async () => {
  const chain = createChain()
  const [one] = entry(1).balances
  const again = { ...one!, token: getAddress(TOKEN) }
  const twice = { ...entry(1), balances: [one!, again] }
  const [swept] = await sweepAll(contextWith(chain.mine, chain), [twice])
  expect(swept).toMatchObject({ error: null, moved: [{ amount: 5n }] })
})

test('sweep() recognises a withdrawal even if as much has arrived meanwhile', async () => {
  const chain = createChain()
  chain.emptied.add = () => chain.emptied
  const [swept] = await sweepAll(contextWith(chain.mine, chain), [entry(1)])
  expect(swept).toMatchObject({ error: null, moved: [{ token: TOKEN, amount: 5n }] })
})

test('sweep() reports a transaction that reverted', async () => {
  const chain = createChain()
  chain.receipts.set(MADE_UP, { status: 'reverted', blockNumber: 9n, logs: [] })
  const [swept] = await sweepAll(
    contextWith(async () => MADE_UP, chain),
    [entry(1)],
  )
  const error = { code: 'RELAY_PROXY_REVERTED', details: { txHash: MADE_UP } }
  expect(swept).toMatchObject({ ...UNSHOWN, error })
})

test('sweep() waits a minute for a node that lags, and says when it doesn’t answer', async () => {
  const late = createChain()
  const shownAt = Date.now() + 30_000
  const { getTransactionReceipt } = late.publicClient
  const outage = () => new HttpRequestError({ url: 'http://127.0.0.1' })
  late.publicClient.getTransactionReceipt = async (asked) => {
    if (Date.now() < shownAt - 10_000) throw new TransactionReceiptNotFoundError(asked)
    if (Date.now() < shownAt) throw outage()
    return getTransactionReceipt(asked)
  }
  const [swept] = await sweepAll(contextWith(late.mine, late), [entry(1)])
  expect(swept).toMatchObject({ error: null, txHash: keccak256(toHex(0)) })
  const dead = createChain()
  dead.publicClient.getTransactionReceipt = async () => {
    throw outage()
  }
  const [unknown] = await sweepAll(contextWith(dead.mine, dead), [entry(1)])
  const error = {
    code: 'RPC_UNREACHABLE',
    retryable: true,
    details: { txHash: expect.any(String) },
  }
  expect(unknown).toMatchObject({ ...UNSHOWN, error })
})

test('sweep() reports a Safe that can’t be swept, and goes on with the others', async () => {
  const chain = createChain()
  const context = contextWith(chain.mine, chain)
  context.recipient.stealthKey = async ({ address }) => {
    if (address === entry(2).address) throw new CairnError('ANSWER_INVALID', 'no key')
    return address === entry(3).address ? '0x12' : KEY
  }
  const { readContract } = chain.publicClient
  chain.publicClient.readContract = async (call) => {
    if (call.args?.[0] !== entry(4).safeAddress) return readContract(call)
    const refused = { code: -32_000, message: 'header not found' }
    throw new RpcRequestError({ body: {}, error: refused, url: 'http://127.0.0.1' })
  }
  const misspelt = { ...entry(5), safeAddress: `0x${'aB'.repeat(20)}` as const }
  const strangers = [null, { ...entry(6), balances: undefined }] as unknown as StealthEntry[]
  const entries = [entry(2), entry(3), entry(4), misspelt, ...strangers, entry(1)]
  const swept = await sweepAll(context, entries)
  expect(swept.map(({ error }) => error?.code)).toEqual([
    'ANSWER_INVALID',
    'INVALID_REQUEST',
    'RPC_UNREACHABLE',
    'INVALID_REQUEST',
    'INVALID_REQUEST',
    'INVALID_REQUEST',
    undefined,
  ])
  expect(swept[3]?.error?.details).toMatchObject({ field: 'entries.safeAddress' })
  expect(swept.map((one) => one.entry)).toEqual(entries)
})

test('a wallet’s refusal ends sweep(), which doesn’t ask again for the next Safe', async () => {
  const context = contextWith(createChain().mine)
  const refusal = new UserRejectedRequestError(new Error('declined'))
  const asked = vi.fn(async () => {
    throw refusal
  })
  context.recipient.stealthKey = asked
  await expect(sweepAll(context, [entry(1), entry(2)])).rejects.toBe(refusal)
  expect(asked).toHaveBeenCalledTimes(1)
})

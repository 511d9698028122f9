import { encrypt } from 'eciesjs'
import {
  bytesToHex,
  encodeAbiParameters,
  encodeEventTopics,
  getAbiItem,
  type Hex,
  hexToBytes,
  keccak256,
  pad,
  stringToBytes,
} from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { encodePayments, type Payments } from '../../../core/settlement/encodePayments.ts'
import { attestation } from '../../../sdk/intent/attestationTypedData.ts'
import { RelayerError } from '../../../sdk/relayer/relayerError.ts'
import type { RelayerRecipients } from '../../../sdk/relayer/relayerResponses.ts'
import { createQueryAllProviders } from '../../../services/chain/transactions/queryAllProviders.ts'
import { createSolverAccount } from '../../../services/solver/account/solverAccount.ts'
import { fetchRecipients } from '../../../services/solver/act/fetchRecipients.ts'
import type { IntentSnapshot } from '../../../services/solver/plan/solverSnapshot.ts'
import type { SolverContext } from '../../../services/solver/solverContext.ts'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import { BASE, CHAINS, OPEN } from './solverTestbed.ts'

const privateKey = generatePrivateKey()
const account = createSolverAccount(privateKey)
const { publicKey } = privateKeyToAccount(privateKey)
const ONE = '0x00000000000000000000000000000000000000a1'
const OTHER = '0x00000000000000000000000000000000000000a2'
const { bridge } = CHAINS[0]!
const won: IntentSnapshot = {
  ...OPEN,
  phase: 'deposited',
  solver: account.address,
  amountB: 1_000n,
  fillDeadline: 300,
}
/** The deadline, less the execution window: keys that are registered later count for nothing. */
const DEPOSITED_AT = 100n
const revealed: Payments = { recipients: [ONE, OTHER], amounts: [400n, 600n] }

const enclaves = Array.from({ length: 3 }, () => privateKeyToAccount(generatePrivateKey()))
const [first, second, third] = enclaves as [PrivateKeyAccount, PrivateKeyAccount, PrivateKeyAccount]
/** The second and third belong to one operator. */
const operators: ReadonlyMap<Hex, Hex> = new Map<Hex, Hex>([
  [first.address, ONE],
  [second.address, OTHER],
  [third.address, OTHER],
])

function seal(bytes: Uint8Array, key: Hex = publicKey): Hex {
  return bytesToHex(encrypt(hexToBytes(key), bytes))
}

const sealed = seal(encodePayments(revealed, 2))

/** Signatures over an intent as it was won, or with some terms changed. */
function signed(
  by: readonly PrivateKeyAccount[],
  data: Hex = sealed,
  as: Partial<IntentSnapshot> = {},
): Promise<Hex[]> {
  const { intentId, paramsHash, blobsHash, amountB, solver } = { ...won, ...as }
  const message = { intentId, paramsHash, blobsHash, amountB, solver: solver ?? ONE }
  const reveal = attestation({ chainId: BASE, bridge }, 'Reveal', {
    ...message,
    sealedHash: keccak256(data),
  })
  return Promise.all(by.map((enclave) => enclave.signTypedData(reveal)))
}

function failing(code: string, status: number): RelayerError {
  return new RelayerError({ code, message: code, status })
}

/** A solver with this relayer answer, a registry per node, and the reveal that each node shows. */
function solverWithAnswer(
  answer: Partial<RelayerRecipients> | RelayerError,
  {
    onChain = [],
    registries = [operators],
    hears = () => {},
  }: {
    onChain?: readonly (Hex | null)[]
    registries?: readonly ReadonlyMap<Hex, Hex>[]
    hears?: (headers: object) => void
  } = {},
): Pick<SolverContext, 'relayer' | 'account' | 'chains'> {
  const relayer = {
    getRecipients: async (_: unknown, headers: object) => {
      hears(headers)
      if (answer instanceof RelayerError) throw answer
      return { recipients: [], amounts: [], ...answer }
    },
  }
  const clientThatShows = (shown: Hex | null, known: ReadonlyMap<Hex, Hex> = operators) => ({
    multicall: async ({
      contracts,
    }: {
      contracts: { functionName: string; args: [Hex, bigint] }[]
    }) =>
      contracts.map(({ functionName, args: [signer, at] }) =>
        functionName === 'getIntent'
          ? depositedWith(shown !== null)
          : [known.has(signer) && at === DEPOSITED_AT, known.get(signer)],
      ),
    getBlockNumber: async () => 9n,
    request: async ({ method, params }: { method: string; params: [Hex] }) => {
      if (method === 'eth_getLogs') return shown ? [revealLog(shown)] : []
      return { number: params[0], hash: pad('0x1'), timestamp: '0x1' }
    },
  })
  const nodes = onChain.map((shown, at) => {
    const name = `node-${at}`
    return { name, operator: name, client: clientThatShows(shown) }
  })
  const terms = async () => ({ registry: ONE, pickupWindow: 10, executionWindow: 200 })
  const client = clientThatShows(onChain[0] ?? null)
  const queryAll = createQueryAllProviders(
    registries.map((known) => ({ client: clientThatShows(null, known) })),
  )
  const chain = { chainId: BASE, bridge, confirmations: 2, client, nodes, queryAll, terms }
  return { relayer, account, chains: [chain] } as never
}

/** The intent as the bridge returns it. */
function depositedWith(isRevealed: boolean) {
  const { destChainId, tokenA, tokenB, endTime, firmAt, fillDeadline } = won
  return {
    ...won,
    phase: 2,
    asked: true,
    revealed: isRevealed,
    sender: ONE,
    auctionDuration: 60,
    destChainId: BigInt(destChainId),
    tokenA,
    tokenB,
    solver: account.address,
    endTime: BigInt(endTime),
    firmAt: BigInt(firmAt),
    fillDeadline: BigInt(fillDeadline),
  }
}

/** The reveal as the bridge logs it. */
function revealLog(sealedRecipients: Hex) {
  const abi = [getAbiItem({ abi: bridgeIntentV2Abi, name: 'RecipientsRevealed' })] as const
  const data = abi[0].inputs.filter((input) => !('indexed' in input && input.indexed))
  return {
    address: bridge,
    topics: encodeEventTopics({ abi, args: { intentId: won.intentId } }),
    data: encodeAbiParameters(data, [sealedRecipients] as never),
    blockNumber: '0x5',
    blockHash: pad('0x1'),
    transactionHash: pad('0x1'),
    logIndex: '0x0',
  }
}

describe('the recipients of a won intent', () => {
  it('are accepted if an enclave signed them, and decrypted with the solver’s key', async () => {
    const heard = {}
    const solver = solverWithAnswer(
      { encryptedData: sealed, signatures: await signed([first]) },
      { hears: (headers) => Object.assign(heard, headers) },
    )
    expect(await fetchRecipients(solver, won)).toEqual(revealed)
    expect(heard).toEqual({ 'x-solver-address': account.address })
  })

  it('may be paid as little as one base unit', async () => {
    const one = { ...revealed, amounts: [999n, 1n] }
    const data = seal(encodePayments(one, 2))
    const answer = { encryptedData: data, signatures: await signed([first], data) }
    expect(await fetchRecipients(solverWithAnswer(answer), won)).toEqual(one)
  })

  it.each<[string, () => Promise<Partial<RelayerRecipients>>]>([
    [
      'in clear, by the relayer’s word',
      async () => ({ recipients: [ONE, OTHER], amounts: [400n, 600n] }),
    ],
    ['by the relayer’s word, sealed', async () => ({ encryptedData: sealed, signatures: [] })],
    ['sealed, without signatures', async () => ({ encryptedData: sealed })],
    ['as signatures alone', async () => ({ signatures: await signed([first]) })],
    [
      'behind more signatures than are checked',
      async () => ({
        encryptedData: sealed,
        signatures: [...Array<Hex>(16).fill('0x1234'), ...(await signed([first]))],
      }),
    ],
    [
      'by somebody who is no enclave',
      async () => ({
        encryptedData: sealed,
        signatures: await signed([privateKeyToAccount(generatePrivateKey())]),
      }),
    ],
    [
      'by a signature over something else',
      async () => ({ encryptedData: sealed, signatures: await signed([first], '0x12') }),
    ],
    [
      'for another commitment',
      async () => ({
        encryptedData: sealed,
        signatures: await signed([first], sealed, { amountB: 1n }),
      }),
    ],
    [
      'by other blobs than those we relied on',
      async () => ({
        encryptedData: sealed,
        signatures: await signed([first], sealed, { blobsHash: `0x${'00'.repeat(32)}` }),
      }),
    ],
    [
      'to another winner',
      async () => ({
        encryptedData: sealed,
        signatures: await signed([first], sealed, { solver: ONE }),
      }),
    ],
    ['by what is no signature', async () => ({ encryptedData: sealed, signatures: ['0x1234'] })],
  ])('are rejected when the relayer sends %s', async (_, answer) => {
    await expect(fetchRecipients(solverWithAnswer(await answer()), won)).rejects.toMatchObject({
      code: 'RECIPIENTS_WRONG',
    })
  })

  it('need signatures of the intent’s quorum of different operators', async () => {
    const two = { ...won, quorum: 2 }
    const by = async (...keys: PrivateKeyAccount[]) =>
      fetchRecipients(
        solverWithAnswer({ encryptedData: sealed, signatures: await signed(keys) }),
        two,
      )
    expect(await by(first, second)).toEqual(revealed)
    for (const few of [[first], [first, first], [second, third]])
      await expect(by(...few)).rejects.toMatchObject({ code: 'RECIPIENTS_WRONG' })
  })

  it('are checked against the enclave keys that most nodes report', async () => {
    const thief = privateKeyToAccount(generatePrivateKey())
    const liar = new Map([[thief.address as Hex, ONE as Hex]])
    const by = async (key: PrivateKeyAccount, ...registries: ReadonlyMap<Hex, Hex>[]) =>
      fetchRecipients(
        solverWithAnswer(
          { encryptedData: sealed, signatures: await signed([key]) },
          { registries },
        ),
        won,
      )
    for (const honest of [[operators], [operators, operators]])
      await expect(by(thief, liar, ...honest)).rejects.toMatchObject({ code: 'RECIPIENTS_WRONG' })
    expect(await by(first, liar, operators, operators)).toEqual(revealed)
  })

  it('are read from the chain if two nodes show them and the relayer fails', async () => {
    const onChain = { ...won, asked: true, revealed: true }
    const silent = failing('ENCLAVE_UNREACHABLE', 503)
    expect(
      await fetchRecipients(solverWithAnswer(silent, { onChain: [sealed, sealed] }), onChain),
    ).toEqual(revealed)
    await expect(
      fetchRecipients(solverWithAnswer(silent, { onChain: [null, null] }), onChain),
    ).rejects.toThrow('ENCLAVE_UNREACHABLE')
  })

  it.each<[string, Partial<RelayerRecipients> | RelayerError, Partial<IntentSnapshot>, string]>([
    ['they weren’t asked for there', failing('FAKE', 503), { asked: false }, 'FAKE'],
    ['the deposit is young', failing('NOT_CONFIRMED', 404), {}, 'NOT_CONFIRMED'],
    ['the relayer’s are refused', {}, {}, 'RECIPIENTS_WRONG'],
  ])('are not read from the chain when %s', async (_, answer, as, code) => {
    const solver = solverWithAnswer(answer, { onChain: [sealed, sealed] })
    await expect(
      fetchRecipients(solver, { ...won, asked: true, revealed: true, ...as }),
    ).rejects.toMatchObject({ code })
  })

  it.each<[string, (Hex | null)[]]>([
    ['one node alone shows them', [sealed]],
    ['a node shows none', [sealed, sealed, null]],
    ['a node shows others', [sealed, '0x1234']],
  ])('are rejected from the chain when %s', async (_, onChain) => {
    const solver = solverWithAnswer(failing('FAKE', 503), { onChain })
    await expect(
      fetchRecipients(solver, { ...won, asked: true, revealed: true }),
    ).rejects.toMatchObject({ code: 'REVEAL_UNPROVEN' })
  })

  it.each<[string, Payments]>([
    ['more than was committed to', { ...revealed, amounts: [400n, 601n] }],
    ['less than was committed to', { ...revealed, amounts: [400n, 599n] }],
    ['nothing for one of them', { ...revealed, amounts: [1_000n, 0n] }],
  ])('are not paid when they are %s', async (_, wrong) => {
    const data = seal(encodePayments(wrong, 2))
    const answer = { encryptedData: data, signatures: await signed([first], data) }
    await expect(fetchRecipients(solverWithAnswer(answer), won)).rejects.toMatchObject({
      code: 'RECIPIENTS_WRONG',
    })
  })

  it.each([
    ['to another key', seal(encodePayments(revealed, 2), first.publicKey)],
    ['and are something else', seal(stringToBytes('recipients'))],
    ['and are no ciphertext', '0x1234' as const],
  ])('are rejected when they are sealed %s, without an error that quotes them', async (_, data) => {
    const answer = { encryptedData: data, signatures: await signed([first], data) }
    await expect(fetchRecipients(solverWithAnswer(answer), won)).rejects.toThrow(
      'this solver’s key does not decrypt the sealed recipients',
    )
  })
})

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { encrypt } from 'eciesjs'
import { type Address, bytesToHex, type Hex, hexToBytes } from 'viem'
import { encodePayments } from '../../../core/settlement/encodePayments.ts'
import { deriveDevnetAccounts } from '../../../devnet/accounts.ts'
import { attestedCalls, readIntentOn } from '../../rig/attestedCalls.ts'
import type { BridgePair } from '../indexer/bridgePair.ts'

export type FakeRelayer = {
  url: string
  /** Lists an intent from now on. */
  announce(id: bigint): void
  /** The only recipient of every intent. */
  payee: Address
  /** Reveals these recipients from now on, with equal amounts. */
  pays(recipients: readonly Address[]): void
  /** Reveals another recipient, with a signature of an unregistered key; null: the true one. */
  liesAbout(payee: Address | null): void
  /** Fails to reveal recipients to the winner. */
  keepsSilent(silent: boolean): void
  /** Reports false terms for every intent, as if its database had been tampered with. */
  misstatesTerms(isFalse: boolean): void
  /** The recipients sealed to the winner. */
  sealedFor(id: bigint, to?: Address): Promise<Hex>
  stop(): Promise<void>
}

/**
 * Stands in for the relayer and its enclave towards a solver: lists intents, reveals recipients to the winner, and
 * settles on request. The chains are real.
 */
export async function startFakeRelayer(pair: BridgePair, payee: Address): Promise<FakeRelayer> {
  const known = new Set<bigint>()
  let paid: readonly Address[] = [payee]
  let lie: Address | null = null
  let isSilent = false
  let isFalse = false
  const readTerms = async (id: bigint) => {
    const record = await recordOf(pair, id)
    return isFalse ? { ...record, reward: String(BigInt(record.reward) + 1n) } : record
  }
  const [winner] = deriveDevnetAccounts().solvers
  const sealedFor = async (id: bigint, to?: Address): Promise<Hex> => {
    const { amountB, recipientClass } = await readIntentOnChain(pair, id)
    const recipients = to === undefined ? paid : [to]
    const each = amountB / BigInt(recipients.length)
    const first = amountB - each * BigInt(recipients.length - 1)
    const amounts = recipients.map((_, position) => (position === 0 ? first : each))
    const revealed = encodePayments({ recipients, amounts }, recipientClass)
    return bytesToHex(encrypt(hexToBytes(winner!.publicKey), revealed))
  }
  const answers: Record<string, (path: string, body: Record<string, string>) => Promise<object>> = {
    batches: async () => ({ batches: [...known].map(() => batchOf(pair)) }),
    intents: async () => ({
      intents: await Promise.all([...known].map(readTerms)),
      nextCursor: null,
    }),
    'get-recipients': async (path) => {
      const id = BigInt(path.split(/[/?]/)[2] ?? '0')
      if (isSilent) throw new Error('says nothing')
      // Read once: the lie may end while this request is answered.
      const named = lie
      const encryptedData = await sealedFor(id, named ?? undefined)
      // The liar lacks only an enclave's key.
      const { attesters, guests } = deriveDevnetAccounts()
      const signer = named === null ? attesters[0] : guests[0]!
      const signatures = await attestedCalls(pair.base, [signer]).signaturesOfReveal(
        id,
        encryptedData,
      )
      const answer = { intentId: String(id), chainId: pair.base.chainId, encryptedData, signatures }
      return { ...answer, recipients: [], amounts: [] }
    },
    settle: async (_, { intentId = '0', solveTxHash = '0x', depositTxHash }) => {
      const solved = await pair.horizen.client.getTransactionReceipt({ hash: solveTxHash as Hex })
      await pair.play.settle(BigInt(intentId), solved)
      return { settleTxHash: '0x01', depositTxHash, solveTxHash }
    },
    'intent-details': async (path) => ({
      intent: await readTerms(BigInt(path.split(/[/?]/)[2] ?? '0')),
    }),
    'register-solver': async (_, { solverAddress }) => ({ solverAddress, routesCount: 1 }),
  }
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const piece of request) text += piece
    const path = request.url ?? '/'
    const answer = answers[path.split(/[/?]/)[1] ?? '']
    try {
      const body = await answer?.(path, text === '' ? {} : JSON.parse(text))
      response.writeHead(body ? 200 : 404, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body ?? { success: false }))
    } catch (error) {
      response.writeHead(503, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ success: false, code: 'FAKE', error: String(error) }))
    }
  })
  // An idle connection that ends just as it is used again would be a fault that no test asked for.
  server.keepAliveTimeout = 0
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    payee,
    announce: (id) => void known.add(id),
    pays: (recipients) => {
      paid = recipients
    },
    liesAbout: (to) => {
      lie = to
    },
    keepsSilent: (silent) => {
      isSilent = silent
    },
    misstatesTerms: (areFalse) => {
      isFalse = areFalse
    },
    sealedFor,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export function readIntentOnChain({ base }: BridgePair, id: bigint) {
  return readIntentOn(base, id)
}

function batchOf({ base, horizen }: BridgePair) {
  const { USDC: tokenA, ZEN: tokenB } = base.contracts.tokens
  return {
    sourceChainId: base.chainId,
    destChainId: horizen.chainId,
    tokenA,
    tokenB,
    count: 1,
    biddable: 1,
    totalAmount: '1',
    totalExpectedAmount: '1',
    fees: '0',
  }
}

async function recordOf(pair: BridgePair, id: bigint) {
  const intent = await readIntentOnChain(pair, id)
  const { tokenA, tokenB, sender } = intent
  const nothing = {
    anchorTxHash: null,
    depositTxHash: '0x01',
    solveTxHash: null,
    settleTxHash: null,
  }
  return {
    ...nothing,
    tokenA,
    tokenB,
    sender,
    chain2IntentId: null,
    solverAddress: null,
    intentId: String(id),
    sourceChainId: pair.base.chainId,
    destChainId: pair.horizen.chainId,
    status: 'pending',
    isTerminal: false,
    createTxHash: '0x',
    paramsHash: '0x',
    feeBps: intent.feeBps,
    amountA: String(intent.amountA),
    expectedAmountB: String(intent.expectedAmountB),
    reward: String(intent.reward),
    timestamp: new Date().toISOString(),
    endTime: new Date(Number(intent.endTime) * 1_000).toISOString(),
    fillDeadline: intent.fillDeadline
      ? new Date(Number(intent.fillDeadline) * 1_000).toISOString()
      : null,
  }
}

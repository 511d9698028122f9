import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Address, Hex } from 'viem'
import { bridgeIntentV2Abi } from '../../../src/event/abi/bridgeIntentV2.ts'
import type { BridgePair } from '../indexer/bridgePair.ts'

export type FakeRelayer = {
  url: string
  /** Tells solvers of an intent from now on. */
  announce(id: bigint): void
  /** Whom the winner is told to pay everything. */
  payee: Address
  /** Adds this to what the winner is told to pay. */
  liesBy(amount: bigint): void
  stop(): Promise<void>
}

/**
 * Stands in for the relayer towards a solver: tells of intents, tells the winner whom to pay, and
 * settles what it is asked to. The chains are real.
 */
export async function startFakeRelayer(pair: BridgePair, payee: Address): Promise<FakeRelayer> {
  const known = new Set<bigint>()
  let lie = 0n
  const answers: Record<string, (path: string, body: Record<string, string>) => Promise<object>> = {
    batches: async () => ({ batches: [...known].map(() => batchOf(pair)) }),
    intents: async () => ({
      intents: await Promise.all([...known].map((id) => recordOf(pair, id))),
      nextCursor: null,
    }),
    'get-recipients': async (path) => {
      const id = BigInt(path.split(/[/?]/)[2] ?? '0')
      const { amountB } = await intentOf(pair, id)
      const amounts = [String(amountB + lie)]
      return { intentId: String(id), chainId: pair.base.chainId, recipients: [payee], amounts }
    },
    settle: async (_, { intentId = '0', solveTxHash = '0x', depositTxHash }) => {
      const solved = await pair.horizen.client.getTransactionReceipt({ hash: solveTxHash as Hex })
      await pair.play.settle(BigInt(intentId), solved)
      return { settleTxHash: '0x01', depositTxHash, solveTxHash }
    },
    'intent-details': async (path) => ({
      intent: await recordOf(pair, BigInt(path.split(/[/?]/)[2] ?? '0')),
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
    liesBy: (amount) => {
      lie = amount
    },
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export function intentOf({ base }: BridgePair, id: bigint) {
  return base.client.readContract({
    address: base.contracts.bridge,
    abi: bridgeIntentV2Abi,
    functionName: 'getIntent',
    args: [id],
  })
}

function batchOf({ base, horizen }: BridgePair) {
  const { USDC: tokenA, ZEN: tokenB } = base.contracts.tokens
  return {
    ...{ sourceChainId: base.chainId, destChainId: horizen.chainId, tokenA, tokenB },
    ...{ count: 1, biddable: 1, totalAmount: '1', totalExpectedAmount: '1', fees: '0' },
  }
}

async function recordOf(pair: BridgePair, id: bigint) {
  const intent = await intentOf(pair, id)
  const { tokenA, tokenB, sender } = intent
  const nothing = {
    anchorTxHash: null,
    depositTxHash: '0x01',
    solveTxHash: null,
    settleTxHash: null,
  }
  return {
    ...{ ...nothing, tokenA, tokenB, sender, chain2IntentId: null, solverAddress: null },
    ...{
      intentId: String(id),
      sourceChainId: pair.base.chainId,
      destChainId: pair.horizen.chainId,
    },
    ...{ status: 'pending', isTerminal: false, createTxHash: '0x', feeBps: intent.feeBps },
    amountA: String(intent.amountA),
    expectedAmountB: String(intent.expectedAmountB),
    reward: String(intent.reward),
    endTime: new Date(Number(intent.endTime) * 1_000).toISOString(),
    fillDeadline: intent.fillDeadline
      ? new Date(Number(intent.fillDeadline) * 1_000).toISOString()
      : null,
  }
}

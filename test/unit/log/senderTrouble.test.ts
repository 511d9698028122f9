import pino, { type Logger } from 'pino'
import { expect, test } from 'vitest'
import type { SenderEvent } from '../../../services/chain/transactions/senderContext.ts'
import type { Transaction } from '../../../services/chain/transactions/transactionRow.ts'
import { createOrderServiceLog } from '../../../services/orders/orderServiceLog.ts'
import { createReactionLog } from '../../../services/relayer/reconciler/reactionLog.ts'
import { createSolverLog } from '../../../services/solver/solverLog.ts'

const logOfSolver = (log: Logger) => createSolverLog(log).transaction

const LOGS: [string, (log: Logger) => (event: SenderEvent) => void][] = [
  ['the reactions', createReactionLog],
  ['the order service', (log) => createOrderServiceLog(log).transaction],
  ['a solver', logOfSolver],
]

test.each(
  LOGS,
)('%s logs once, although it retries twice a second, on which chain nothing can be sent', (_, create) => {
  const lines: { chainId: number; detail: string }[] = []
  const write = (line: string) => void lines.push(JSON.parse(line))
  const onEvent = create(pino({ level: 'info' }, { write }))
  const detail = 'HTTP request failed.'
  const trouble = { type: 'trouble', problem: 'RPC_UNREACHABLE', detail } as const
  for (const chainId of [84532, 2651420, 84532, 2651420]) onEvent({ ...trouble, chainId })
  expect(lines).toMatchObject([
    { chainId: 84532, detail },
    { chainId: 2651420, detail },
  ])
})

test.each([
  ['the reactions', createReactionLog, 'anchor', 'failed', 'TOO_LATE', 'info'],
  ['the reactions', createReactionLog, 'refund', 'superseded', 'AlreadyRefunded', 'info'],
  ['the reactions', createReactionLog, 'anchor', 'failed', 'WrongPhase', 'info'],
  ['the reactions', createReactionLog, 'settle', 'failed', 'WrongPhase', 'warn'],
  ['the reactions', createReactionLog, 'anchor', 'failed', 'REVERTED_ON_CHAIN', 'warn'],
  ['the reactions', createReactionLog, 'anchor', 'waits', 'TOO_LATE', 'warn'],
  ['a solver', logOfSolver, 'bid', 'failed', 'REVERTED_ON_CHAIN', 'info'],
  ['a solver', logOfSolver, 'deliver', 'failed', 'REVERTED_ON_CHAIN', 'warn'],
  ['a solver', logOfSolver, 'bid', 'failed', 'BidTooLow', 'debug'],
] as const)('%s: whether a transaction’s end is ordinary', (_, create, kind, type, problem, level) => {
  const levels: string[] = []
  const write = (line: string) => void levels.push(JSON.parse(line).level)
  const formatters = { level: (label: string) => ({ level: label }) }
  const transaction = { kind } as Transaction
  create(pino({ level: 'debug', formatters }, { write }))({
    type,
    problem,
    transaction,
    detail: '',
  })
  expect(levels).toEqual([level])
})

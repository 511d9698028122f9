import pino, { type Logger } from 'pino'
import { expect, test } from 'vitest'
import type { SenderEvent } from '../../../services/chain/transactions/senderContext.ts'
import { createOrderServiceLog } from '../../../services/orders/orderServiceLog.ts'
import { createReactionLog } from '../../../services/relayer/reconciler/reactionLog.ts'
import { createSolverLog } from '../../../services/solver/solverLog.ts'

const LOGS: [string, (log: Logger) => (event: SenderEvent) => void][] = [
  ['the reactions', createReactionLog],
  ['the order service', (log) => createOrderServiceLog(log).transaction],
  ['a solver', (log) => createSolverLog(log).transaction],
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

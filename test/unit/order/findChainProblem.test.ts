import pg from 'pg'
import { expect, test } from 'vitest'
import { createChainClient } from '../../../services/chain/chainClient.ts'
import { UnusableAnswerError } from '../../../services/chain/history/historyErrors.ts'
import { RpcError } from '../../../services/chain/rpcPool/rpcError.ts'
import { findChainProblem } from '../../../services/orders/findChainProblem.ts'
import { findDeadPort } from '../../rig/findDeadPort.ts'

/** Where nothing listens. */
const port = await findDeadPort()

const problemOf = (work: Promise<unknown>) =>
  work.then(() => expect.unreachable(), findChainProblem)

test('nodes that don’t answer, or not usably, are the chain’s problem', async () => {
  const chain = { name: 'away', chainId: 1, rpcUrls: [`http://127.0.0.1:${port}`] }
  expect(await problemOf(createChainClient(chain).getBlockNumber())).toBe('RPC_UNREACHABLE')
  expect(findChainProblem(new RpcError('unreachable', 'HTTP 500'))).toBe('RPC_UNREACHABLE')
  expect(findChainProblem(new UnusableAnswerError('the node lags'))).toBe('RPC_UNREACHABLE')
})

test('a lost database is not', async () => {
  const client = new pg.Client({ connectionString: `postgres://nobody@127.0.0.1:${port}/nowhere` })
  expect(await problemOf(client.connect())).toBe('DATABASE_UNREACHABLE')
})

test('anything else is a bug', () => {
  expect(findChainProblem(new TypeError('x is undefined'))).toBe('INTERNAL_ERROR')
  expect(findChainProblem(null)).toBe('INTERNAL_ERROR')
})

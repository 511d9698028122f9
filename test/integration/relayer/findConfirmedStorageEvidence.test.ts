import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { StorageProofReader } from '../../../services/chain/proof/storageProofReader.ts'
import { RpcError } from '../../../services/chain/rpcPool/rpcError.ts'
import { EnclaveError } from '../../../services/enclave/enclaveError.ts'
import {
  dropBadEvidence,
  findConfirmedStorageEvidence,
} from '../../../services/relayer/evidence/findConfirmedStorageEvidence.ts'
import { migrate } from '../../../services/store/database/migrate.ts'
import { type OpenDatabase, openDatabase } from '../../../services/store/database/openDatabase.ts'
import { type PostgresUnderTest, startPostgresUnderTest } from '../../postgresUnderTest.ts'

let postgres: PostgresUnderTest
let database: OpenDatabase

beforeAll(async () => {
  postgres = await startPostgresUnderTest()
  await migrate(postgres.databaseUrl)
  database = openDatabase({ databaseUrl: postgres.databaseUrl })
})
afterAll(async () => {
  await database?.close()
  await postgres?.stop()
})

/** The chain's head: a block each second, whose time is its number. */
let head = 0
/** How many blocks back a node proves state; 0: of its latest block alone. */
let history = 0
/** What a node says of state that it doesn't have. */
let refusal: Error
/** How many blocks the node's time is wrong by, and how often the reader turned to another node. */
let error = 0
let doubts = 0
beforeEach(async () => {
  await database.pool.query('delete from app.evidence')
  ;[head, history, error, doubts] = [1_000, 0, 0, 0]
  refusal = new RpcError('behind', 'pruned')
})

const reader: StorageProofReader = {
  prove: async (slots, block) => {
    const blockNumber = block === 'latest' ? head : block
    if (blockNumber < head - history) throw refusal
    const storageProofs = slots.map((slot) => ({ slot, proof: [] }))
    const evidence = { blockNumber, accountProof: [], storageProofs }
    return { evidence, values: new Map(), timestamp: blockNumber + error }
  },
  doubt: () => {
    doubts += 1
  },
}

const DEPTH = 10

/** The block of the evidence, or null while it is too early. */
async function find(where: { from?: number; since?: number }): Promise<number | null> {
  const request = { chainId: 1, subject: 'intent:7', slots: ['0x01'] as const, depth: DEPTH }
  const found = await findConfirmedStorageEvidence(database.db, reader, {
    from: 0,
    ...where,
    ...request,
    head,
  })
  return found.is === 'deep' ? found.evidence.blockNumber : null
}

it.each([
  ['lack', new RpcError('behind', 'pruned')],
  ['take too long to prove', new RpcError('unreachable', 'no answer within 5000 ms')],
  ['fail to prove', new RpcError('unreachable', 'internal error', { code: -32603 })],
  ['answer nonsense about', new TypeError('no proof')],
])('the latest block’s evidence is used once it is deep enough, if the nodes %s old state', async (_, said) => {
  refusal = said
  expect(await find({ since: 1_000 })).toBe(null)
  head += 9
  expect(await find({ since: 1_000 })).toBe(null)
  head += 4
  expect(await find({ since: 1_000 })).toBe(1_000)
})

it('nodes that are too slow to prove one old block aren’t asked for another', async () => {
  const asked: (number | 'latest')[] = []
  const slow: StorageProofReader = {
    ...reader,
    prove: async (_, block) => {
      asked.push(block)
      throw new RpcError('unreachable', 'no answer within 5000 ms', { isTimeout: true })
    },
  }
  const request = { chainId: 1, subject: 'intent:8', slots: ['0x01'] as const, depth: DEPTH }
  const finding = findConfirmedStorageEvidence(database.db, slow, { from: 0, head, ...request })
  await expect(finding).rejects.toThrow('no answer')
  expect(asked).toEqual([head - DEPTH - 16, 'latest'])
})

it('nodes that prove nothing at all are an error', async () => {
  history = -1
  await expect(find({})).rejects.toThrow('pruned')
})

it('nodes with old state prove nothing from before the time, and the wait ends as soon as it can', async () => {
  history = 100
  expect(await find({ since: 995 })).toBe(null)
  head = 1_005
  expect(await find({ since: 995 })).toBe(995)
})

it('evidence from nodes with old state is deep enough for providers that lag behind the index', async () => {
  history = 100
  // Shown from block 990: it becomes deeper with each attempt.
  expect(await find({ from: 990 })).toBe(990)
  head += 5
  expect(await find({ from: 990 })).toBe(990)
  head += 95
  expect((await find({ from: 990 }))! + DEPTH).toBeLessThan(head - 10)
  history = DEPTH
  expect(await find({ from: 990 })).toBe(head - DEPTH)
})

it('a node whose time is too early, or that lags, is asked last', async () => {
  error = -50
  expect(await find({ since: 1_000 })).toBe(null)
  expect(doubts).toBe(1)
  history = 100
  expect(await find({ since: 985 })).toBe(null)
  expect(doubts).toBe(2)
})

it('a node whose head is from before the event is asked last', async () => {
  expect(await find({ from: 1_005 })).toBe(null)
  expect(doubts).toBe(1)
})

it('a node isn’t doubted because its old blocks are before the time', async () => {
  history = 100
  expect(await find({ since: 995 })).toBe(null)
  // The better of the two old blocks is still too early.
  head = 1_005
  expect(await find({ since: 995 })).toBe(995)
  expect(doubts).toBe(0)
})

it('evidence that only needs more blocks is kept, unless its block is too early', async () => {
  const isDropped = async (problem: EnclaveError) => {
    let dropped = false
    const forget = async () => {
      dropped = true
    }
    const asked = dropBadEvidence(forget, () => Promise.reject(problem))
    await expect(asked).rejects.toBe(problem)
    return dropped
  }
  expect(await isDropped(new EnclaveError('NOT_CONFIRMED'))).toBe(false)
  expect(await isDropped(new EnclaveError('NOT_CONFIRMED', 'fillDeadline'))).toBe(true)
  expect(await isDropped(new EnclaveError('EVIDENCE_INVALID'))).toBe(true)
})

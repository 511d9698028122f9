import { beforeAll, describe, expect, test } from 'vitest'
import { createMinedTransactionWaiter } from '../../../api/rest/recipient/minedTransactionWaiter.ts'
import { requestTransaction } from '../../../services/chain/transactions/requestTransaction.ts'
import type { Db } from '../../../services/store/database/openDatabase.ts'
import { OUTSIDE, type SponsorRig } from './sponsorRig.ts'

const CHAIN = 2651420

/** Tests of how callers wait until a block has what they asked for, on a rig that is open. */
export function describeWaitingForBlocks(opened: () => SponsorRig): void {
  let rig: SponsorRig
  beforeAll(() => {
    rig = opened()
  })

  describe('waiting for a block', () => {
    test('waiting for a block costs one database query at a time, however many wait', async () => {
      const ids = await newTransactions(
        rig.db,
        Array.from({ length: 40 }, (_, number) => `many ${number}`),
      )
      const { db, statements } = counted(rig.db)
      const mined = createMinedTransactionWaiter(db)
      const all = Promise.all(ids.map((id, position) => mined.wait(id, `client ${position}`)))
      await expect.poll(statements, { timeout: 60_000 }).toBeGreaterThan(ids.length + 5)
      const [begun, before] = [performance.now(), statements()]
      await mine(rig, ids)
      expect((await all).every((one) => one?.txHash === HASH)).toBe(true)
      // Ten a second, give or take: with a question for each caller it would be forty times as many.
      expect(statements() - before).toBeLessThanOrEqual(2 + (performance.now() - begun) / 100)
      const after = statements()
      expect(await mined.wait(ids[0]!, 'somebody')).toMatchObject({ txHash: HASH })
      expect(statements()).toBe(after + 1)
    })

    test('waiting for a block has limited places, in total and per client; beyond them the answer is the current state', async () => {
      const [first, second, third] = await newTransactions(rig.db, ['first', 'second', 'third'])
      const { db, statements } = counted(rig.db)
      const mined = createMinedTransactionWaiter(db, { atOnce: 2, perClient: 2 })
      const two = [mined.wait(first!, 'one'), mined.wait(second!, 'one')]
      await expect.poll(statements, { timeout: 60_000 }).toBeGreaterThan(2 + 3)
      await expect(mined.wait(first!, 'one')).rejects.toMatchObject({ code: 'RATE_LIMITED' })
      expect(await mined.wait(third!, 'two')).toMatchObject({ state: 'chosen' })
      const joined = mined.wait(first!, 'two')
      await mine(rig, [first!, second!])
      for (const one of [...two, joined]) expect(await one).toMatchObject({ txHash: HASH })
    })
  })
}

const HASH = `0x${'ab'.repeat(32)}`

/** The rig's database, with the statements counted that are sent through it. */
function counted(all: Db): { db: Db; statements: () => number } {
  let statements = 0
  const db = all.withPlugin({
    transformQuery: ({ node }) => {
      statements += 1
      return node
    },
    transformResult: async ({ result }) => result,
  })
  return { db, statements: () => statements }
}

/** Of an account that nobody sends for. */
async function newTransactions(db: Db, effects: readonly string[]): Promise<number[]> {
  const plain = { kind: 'test', chainId: CHAIN, account: OUTSIDE, to: OUTSIDE, data: '0x' } as const
  const made = effects.map((effect) => requestTransaction(db, { ...plain, effect }))
  return (await Promise.all(made)).map(({ id }) => id)
}

async function mine({ postgres }: SponsorRig, ids: readonly number[]): Promise<void> {
  const client = await postgres.connect()
  await client.query(
    `update app.transaction set state = 'mined', nonce = id, tx_hash = $2, block_number = 1,
       block_hash = $2, succeeded = true where id = any($1)`,
    [ids, HASH],
  )
}

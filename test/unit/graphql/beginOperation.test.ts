import { expect, test } from 'vitest'
import { createBeginOperation } from '../../../api/graphql/transport/beginOperation.ts'
import { currentReader } from '../../../services/store/database/fairShares.ts'

test('all of an operation’s answers are read in its client’s share, whoever asks for the next', async () => {
  const readers: (string | null)[] = []
  async function* updates() {
    for (let n = 0; n < 2; n++) {
      readers.push(currentReader())
      yield { data: { n } }
    }
  }
  const begin = createBeginOperation(
    async () => {
      readers.push(currentReader())
      return updates()
    },
    (error) => error as Error,
  )
  const { answers } = await begin({ query: 'subscription { n }' }, '192.0.2.1')
  for await (const _ of answers ?? []) readers.push(currentReader())
  expect(readers).toEqual(['192.0.2.1', '192.0.2.1', null, '192.0.2.1', null])
})

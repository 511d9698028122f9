import type pg from 'pg'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import type { Enclave } from '../../enclave/port.ts'

/** An intent's recipients as its sender wrote them, and where they are paid. */
export type PlainRecipients = { chainId: number; recipients: readonly Hex[] }

/**
 * Which of these bundles name a registered wallet. Such a one isn't recovered as it is: the reactions store
 * it anew, and the wallet gives way to its Safe.
 */
export async function isToShield(
  client: pg.ClientBase,
  enclave: Pick<Enclave, 'tagRecipients'>,
  bundles: readonly PlainRecipients[],
): Promise<boolean[]> {
  const { rowCount } = await client.query('select from app.recipient limit 1')
  if (rowCount === 0) return bundles.map(() => false)
  const answers: boolean[] = []
  for (const bundle of bundles) answers.push(await namesRegistered(client, enclave, bundle))
  return answers
}

async function namesRegistered(
  client: pg.ClientBase,
  enclave: Pick<Enclave, 'tagRecipients'>,
  { chainId, recipients }: PlainRecipients,
): Promise<boolean> {
  const { tags } = await enclave.tagRecipients({
    recipients: recipients.flatMap((recipientAddress) => [
      { recipientAddress },
      { recipientAddress, contractOn: chainId },
    ]),
  })
  const { rowCount } = await client.query(
    'select from app.recipient where tag = any($1::bytea[]) limit 1',
    [tags.flat().map((tag) => `\\x${tag.slice(2)}`)],
  )
  return rowCount === 1
}

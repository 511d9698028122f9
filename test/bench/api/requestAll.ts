import type { Contender, Subjects } from './comparedServers.ts'
import { openConnection, requestText } from './httpConnection.ts'

/** Requests every intent once, to warm up a server's caches. */
export async function requestAll(
  contender: Contender,
  port: number,
  subjects: Subjects,
  connections: number,
): Promise<void> {
  let next = 0
  const walk = async () => {
    const connection = await openConnection(port)
    for (let n = next++; n < subjects.intents.length; n = next++) {
      const request = requestText(contender.ask('by id', subjects, n))
      await new Promise((resolve) => connection.send(request, false, resolve))
    }
    connection.close()
  }
  await Promise.all(Array.from({ length: connections }, walk))
}

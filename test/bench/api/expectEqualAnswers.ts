import type { Contender, Question, Subjects } from './comparedServers.ts'
import { RECORDS } from './comparedServers.ts'
import { openConnection, requestText } from './httpConnection.ts'
import { toComparable } from './requestedFields.ts'

const SAMPLES = 20

/** Sends the same request to every server, and throws unless the requested fields are equal. */
export async function expectEqualAnswers(
  contenders: readonly Contender[],
  portOf: (server: string) => number,
  subjects: Subjects,
): Promise<void> {
  for (const question of RECORDS) {
    for (let sample = 0; sample < SAMPLES; sample++) {
      // A prime stride covers both chains.
      const n = sample * 7_919
      const reported = await Promise.all(
        contenders.map((one) => answerOf(one, portOf(one.server), question, subjects, n)),
      )
      for (const [index, records] of reported.entries()) {
        if (records.join('\n') === reported[0]?.join('\n')) continue
        const names = `${contenders[0]?.name} and ${contenders[index]?.name}`
        throw new Error(`${question}: ${names} differ:\n${reported[0]?.[0]}\n${records[0]}`)
      }
    }
  }
}

/** Servers break ties in a list's order differently, so compare sets. */
async function answerOf(
  contender: Contender,
  port: number,
  question: Question,
  subjects: Subjects,
  n: number,
): Promise<string[]> {
  const connection = await openConnection(port)
  const request = requestText(contender.ask(question, subjects, n))
  const { status, body } = await new Promise<{ status: number; body: string | null }>((resolve) =>
    connection.send(request, true, resolve),
  )
  connection.close()
  if (status !== 200)
    throw new Error(`${contender.name} answered ${status}: ${body?.slice(0, 500)}`)
  const answer = JSON.parse(body ?? '')
  if (answer.errors) throw new Error(`${contender.name} answered ${body?.slice(0, 500)}`)
  const records = contender.records(question, answer)
  return records.map((record) => toComparable(record, contender.side)).sort()
}

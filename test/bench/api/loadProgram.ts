/** Sends one kind of request to one server over many connections; configured by its first message. */
import { readFileSync } from 'node:fs'
import { CONTENDERS, type Question, type Subjects } from './comparedServers.ts'
import { openConnection, requestText } from './httpConnection.ts'

export type LoadOrder = {
  contender: number
  question: Question
  port: number
  connections: number
  warmUpSeconds: number
  seconds: number
  /** A file with the `Subjects`, as JSON. */
  subjects: string
  seed: number
}

/** Milliseconds; requests per second over the measured time. */
export type LoadResult = {
  requests: number
  perSecond: number
  p50: number
  p95: number
  p99: number
  /** Answers with a status other than 200. */
  refused: number
}

export type LoadMessage = { type: 'begun' } | { type: 'done'; result: LoadResult }

process.once('message', async (order: LoadOrder) => {
  const result = await load(order)
  send({ type: 'done', result })
  process.disconnect()
})

function send(message: LoadMessage): void {
  process.send?.(message)
}

async function load(order: LoadOrder): Promise<LoadResult> {
  const subjects: Subjects = JSON.parse(readFileSync(order.subjects, 'utf8'))
  const contender = CONTENDERS[order.contender]
  if (!contender) throw new Error('no such contender')
  const draw = draws(order.seed)
  const latencies: number[] = []
  const state = { measuring: false, over: false, refused: 0 }
  const connections = await Promise.all(
    Array.from({ length: order.connections }, () => openConnection(order.port)),
  )
  for (const connection of connections) {
    const next = () => {
      const request = requestText(contender.ask(order.question, subjects, draw()))
      const sentAt = performance.now()
      connection.send(request, false, ({ status }) => {
        if (state.over) return
        if (state.measuring) latencies.push(performance.now() - sentAt)
        if (status !== 200) state.refused += 1
        next()
      })
    }
    next()
  }
  await pause(order.warmUpSeconds)
  const begun = performance.now()
  state.measuring = true
  send({ type: 'begun' })
  await pause(order.seconds)
  state.over = true
  const seconds = (performance.now() - begun) / 1_000
  for (const connection of connections) connection.close()
  return summary(latencies, seconds, state.refused)
}

function summary(latencies: number[], seconds: number, refused: number): LoadResult {
  const sorted = Float64Array.from(latencies).sort()
  const rank = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0
  const requests = sorted.length
  return {
    requests,
    refused,
    perSecond: requests / seconds,
    p50: rank(0.5),
    p95: rank(0.95),
    p99: rank(0.99),
  }
}

function pause(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1_000))
}

/** Uniform integers below 2^32 (xorshift32). */
function draws(seed: number): () => number {
  let state = seed || 1
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state >>> 0
  }
}

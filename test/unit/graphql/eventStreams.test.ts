import { expect, test } from 'vitest'
import { notReady } from '../../../api/graphql/errors/queryError.ts'
import {
  type Answers,
  type BeginOperation,
  createBeginOperation,
} from '../../../api/graphql/transport/beginOperation.ts'
import { createEventStreams } from '../../../api/graphql/transport/eventStreams.ts'
import { TRANSPORT_LIMITS } from '../../../api/graphql/transport/transportLimits.ts'
import { until } from '../../rig/until.ts'

/** Operations that give so many answers and then stay open; `open` counts those. */
function operations(answers = 0) {
  let open = 0
  const beginOperation: BeginOperation = async () => {
    let left = answers
    let end = () => {}
    const ended = new Promise<void>((resolve) => {
      end = resolve
    })
    open += 1
    const given: Answers = {
      next: async () => {
        if (left-- > 0) return { value: { data: { left } }, done: false }
        await ended
        return { value: undefined, done: true }
      },
      return: async () => {
        open -= 1
        end()
        return { value: undefined, done: true }
      },
      [Symbol.asyncIterator]: () => given,
    }
    return { answers: given, refused: null }
  }
  return { beginOperation, open: () => open }
}

const operation = { query: '', extensions: { operationId: 'a' } }
const never = new AbortController().signal

test('a stream that nobody opens is dropped with its operations', async () => {
  const { beginOperation, open } = operations()
  const streams = createEventStreams(beginOperation, { ...TRANSPORT_LIMITS, beginMs: 20 })
  const token = streams.reserve('a client')
  await streams.run(token, operation, 'a client')
  expect(open()).toBe(1)
  await until(() => streams.size() === 0)
  expect(open()).toBe(0)
  expect(() => streams.open(token, never)).toThrow('no stream has this token')
})

test('a stream without operations is closed, also after its last operation ended', async () => {
  const { beginOperation } = operations()
  const streams = createEventStreams(beginOperation, { ...TRANSPORT_LIMITS, idleMs: 20 })
  const token = streams.reserve('a client')
  await streams.run(token, operation, 'a client')
  const texts = streams.open(token, never)
  expect(await texts.next()).toEqual({ value: ':\n\n', done: false })
  streams.stop(token, 'a')
  expect(await texts.next()).toEqual({ value: undefined, done: true })
  expect(streams.size()).toBe(0)
})

test('a client that doesn’t read is disconnected, with all its operations', async () => {
  const { beginOperation, open } = operations(2_000)
  const streams = createEventStreams(beginOperation)
  const token = streams.reserve('a client')
  const texts = streams.open(token, never)
  await texts.next()
  await streams.run(token, operation, 'a client')
  await until(() => streams.size() === 0)
  expect(open()).toBe(0)
  expect(await texts.next()).toEqual({ value: undefined, done: true })
})

test('a refusal has the status and headers of an HTTP response, apart from its errors', async () => {
  const begin = createBeginOperation(
    async () => ({ errors: [notReady()] }),
    () => new Error(),
  )
  expect((await begin(operation, 'a client')).refused).toEqual({
    status: 503,
    headers: { 'retry-after': '5' },
    errors: [{ message: expect.any(String), extensions: { code: 'NOT_READY' } }],
  })
})

test('a quiet stream is kept alive', async () => {
  const { beginOperation } = operations()
  const streams = createEventStreams(beginOperation, { ...TRANSPORT_LIMITS, heartbeatMs: 10 })
  const token = streams.reserve('a client')
  const texts = streams.open(token, never)
  for (let i = 0; i < 3; i++) expect((await texts.next()).value).toBe(':\n\n')
  await texts.return(undefined)
  expect(streams.size()).toBe(0)
})

test('an operation that is stopped while it starts doesn’t run in place of the next one of its id', async () => {
  const { beginOperation, open } = operations(1)
  const starts: (() => void)[] = []
  const streams = createEventStreams(async (begun, client) => {
    await new Promise<void>((resolve) => starts.push(resolve))
    return beginOperation(begun, client)
  })
  const token = streams.reserve('a client')
  const first = streams.run(token, operation, 'a client')
  await until(() => starts.length === 1)
  streams.stop(token, 'a')
  const second = streams.run(token, operation, 'a client')
  await until(() => starts.length === 2)
  starts[0]?.()
  await first
  expect(open()).toBe(0)
  starts[1]?.()
  await second
  expect(open()).toBe(1)
  streams.close()
})

test('an operation that is stopped before it starts is never followed', async () => {
  const { beginOperation, open } = operations()
  const streams = createEventStreams(beginOperation)
  const token = streams.reserve('a client')
  const beginning = streams.run(token, operation, 'a client')
  streams.stop(token, 'a')
  await beginning
  expect(open()).toBe(0)
  streams.close()
  expect(streams.size()).toBe(0)
})

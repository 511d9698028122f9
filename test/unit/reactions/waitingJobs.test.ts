import { expect, test } from 'vitest'
import { createWaitingJobs } from '../../../services/relayer/reconciler/startQueue.ts'

const key = (id: bigint) => ({ sourceChainId: 1, intentId: id })

test('an intent whose job waits is not queued again, and is once the job has begun', () => {
  const jobs = createWaitingJobs(() => 1)
  expect(jobs.add([key(1n), key(2n)])).toEqual([key(1n), key(2n)])
  expect(jobs.add([key(1n), key(3n)])).toEqual([key(3n)])
  jobs.begun(key(1n))
  expect(jobs.add([key(1n), key(2n)])).toEqual([key(1n)])
})

test('an intent is queued again after one whose job could not be, or was taken by a process that is gone', () => {
  let time = 1
  const jobs = createWaitingJobs(() => time)
  jobs.add([key(1n), key(2n)])
  jobs.forget([key(1n)])
  expect(jobs.add([key(1n), key(2n)])).toEqual([key(1n)])
  time = 10_000
  expect(jobs.add([key(2n)])).toEqual([key(2n)])
})

test('of jobs that other processes took, only the newest are remembered', () => {
  const jobs = createWaitingJobs(() => 1, 3)
  for (const id of [1n, 2n, 3n, 4n]) jobs.add([key(id)])
  expect(jobs.add([key(4n), key(3n), key(2n)])).toEqual([])
  // The oldest made room: it is queued once more, which harms nothing.
  expect(jobs.add([key(1n)])).toEqual([key(1n)])
})

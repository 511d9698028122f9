import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { mapInParallel } from '../../../services/process/mapInParallel.ts'

describe('inParallel', () => {
  it('returns results in the order of the items and respects the limit', async () => {
    let running = 0
    let most = 0
    const results = await mapInParallel([30, 1, 20, 5], 2, async (ms) => {
      most = Math.max(most, ++running)
      await pause(ms)
      running -= 1
      return ms
    })
    expect(results).toEqual([30, 1, 20, 5])
    expect(most).toBe(2)
  })

  it('starts nothing after a failure, and rejects only when the running work has ended', async () => {
    const started: string[] = []
    const ended: string[] = []
    const work = async (name: string) => {
      started.push(name)
      if (name === 'fails') throw new Error('no node answers')
      await pause(20)
      ended.push(name)
    }
    await expect(mapInParallel(['slow', 'fails', 'never', 'never'], 2, work)).rejects.toThrow(
      'no node answers',
    )
    expect(started).toEqual(['slow', 'fails'])
    expect(ended).toEqual(['slow'])
  })
})

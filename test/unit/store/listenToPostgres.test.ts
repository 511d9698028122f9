import { getEventListeners } from 'node:events'
import { expect, test, vi } from 'vitest'
import { listenToPostgres } from '../../../services/store/changes/listenToPostgres.ts'
import { findDeadPort } from '../../rig/findDeadPort.ts'

test('a listener without its database keeps nothing of the connections that failed', async () => {
  const waits = vi.spyOn(AbortSignal.prototype, 'addEventListener')
  const databaseUrl = `postgres://nobody@127.0.0.1:${await findDeadPort()}/nowhere`
  const listening = listenToPostgres(
    { databaseUrl, name: 'cairn_test', channels: ['none'] },
    String,
    () => {},
  )
  try {
    const [signal] = waits.mock.contexts as AbortSignal[]
    const attempts = () => waits.mock.contexts.filter((one) => one === signal).length
    await expect.poll(attempts).toBeGreaterThanOrEqual(3)
    expect(getEventListeners(signal!, 'abort').length).toBeLessThanOrEqual(1)
  } finally {
    await listening.stop()
    waits.mockRestore()
  }
})

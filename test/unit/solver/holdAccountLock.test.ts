import { getEventListeners } from 'node:events'
import { expect, onTestFinished, test, vi } from 'vitest'
import { holdAccountLock } from '../../../services/solver/journal/holdAccountLock.ts'
import { findDeadPort } from '../../rig/findDeadPort.ts'
import { startSilentServer } from '../../rig/silentServer.ts'

test('a solver without its database keeps nothing of the attempts that failed', async () => {
  const waits = vi.spyOn(AbortSignal.prototype, 'addEventListener')
  onTestFinished(() => waits.mockRestore())
  const lock = holdAccountLock(`postgres://nobody@127.0.0.1:${await findDeadPort()}/nowhere`, '0x')
  onTestFinished(lock.stop)
  const [signal] = waits.mock.contexts as AbortSignal[]
  const attempts = () => waits.mock.contexts.filter((one) => one === signal).length
  await expect.poll(attempts).toBeGreaterThanOrEqual(3)
  expect(getEventListeners(signal!, 'abort').length).toBeLessThanOrEqual(1)
})

test('stops at once while its database does not answer', async () => {
  const server = await startSilentServer()
  onTestFinished(server.stop)
  const lock = holdAccountLock(server.databaseUrl, '0x')
  await expect.poll(server.connections).toBe(1)
  const began = performance.now()
  await lock.stop()
  // Connecting itself gives up after five seconds.
  expect(performance.now() - began).toBeLessThan(4_500)
  expect(lock.isHeld()).toBe(false)
})

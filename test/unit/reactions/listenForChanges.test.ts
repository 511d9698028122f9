import { setTimeout as pause } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { listenForChanges } from '../../../services/relayer/reconciler/listenForChanges.ts'
import type { Change } from '../../../services/store/changes/changeLog.ts'
import type { IntentKey } from '../../../services/store/intents/storedIntent.ts'
import { startSilentServer } from '../../rig/silentServer.ts'
import { manualChangeFeed } from '../store/manualChangeFeed.ts'

const CHANGE: Change = {
  sequence: 1n,
  sourceChainId: 1,
  intentId: 5n,
  table: 'intent',
  operation: 'update',
  event: null,
}

test('stops at once while its database does not answer, and announces nothing afterwards', async () => {
  const server = await startSilentServer()
  onTestFinished(server.stop)
  const { feed, notify } = manualChangeFeed()
  const announced: IntentKey[] = []
  const changes = listenForChanges({
    databaseUrl: server.databaseUrl,
    feed,
    onChange: (keys) => announced.push(...keys),
  })
  await expect.poll(server.connections).toBe(1)
  notify({ kind: 'change', change: CHANGE })
  const began = performance.now()
  await changes.stop()
  // Connecting itself gives up after five seconds.
  expect(performance.now() - began).toBeLessThan(4_500)
  await expect.poll(server.connections).toBe(0)
  await pause(50)
  expect(announced).toEqual([])
})

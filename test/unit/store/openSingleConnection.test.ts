import { expect, onTestFinished, test } from 'vitest'
import type { Enclave } from '../../../services/enclave/enclaveInterface.ts'
import { bindDatabase } from '../../../services/enclaveBinding/bindDatabase.ts'
import { takeChainLock } from '../../../services/indexer/chainLock.ts'
import { recoverDatabase } from '../../../services/relayer/recovery/recoverDatabase.ts'
import { recoverIfLost } from '../../../services/relayer/recovery/recoverIfLost.ts'
import { migrate } from '../../../services/store/database/migrate.ts'
import { openSingleConnection } from '../../../services/store/database/openSingleConnection.ts'
import { startSilentServer } from '../../rig/silentServer.ts'

test('nothing waits for ever for a database that accepts connections and never answers', async () => {
  const server = await startSilentServer()
  onTestFinished(server.stop)
  const { databaseUrl } = server
  const publicKeys = async () => ({ keyId: '0x', eciesPublicKey: '0x', previousKeyIds: [] })
  const enclave = { publicKeys } as unknown as Enclave
  const log = { info: () => {}, warn: () => {} }
  const results = await Promise.allSettled([
    openSingleConnection(databaseUrl, 'cairn_test'),
    migrate(databaseUrl),
    takeChainLock(databaseUrl, 'cairn_1'),
    bindDatabase(databaseUrl, enclave),
    recoverDatabase({ databaseUrl, chains: [], enclave }),
    recoverIfLost({ databaseUrl, chains: [], enclave, log }),
  ])
  for (const result of results)
    expect(result).toMatchObject({ reason: { message: expect.stringMatching(/timeout/) } })
  await expect.poll(server.connections).toBe(0)
})

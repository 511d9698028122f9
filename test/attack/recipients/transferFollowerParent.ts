/** A process that keeps a transfer follower, and tells its id to its own parent. */
import { spawnRole } from '../../../services/process/spawnRole.ts'
import { TRANSFERS_HEAP } from '../../../services/roles/keepSafeTransfersRole.ts'

const child = spawnRole({ role: 'transfers', env: process.env, heapMegabytes: TRANSFERS_HEAP })
await child.ready
process.send?.(child.pid)

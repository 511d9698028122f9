/** Stands in for the supervisor: starts the logger like a Ponder, reports its pid, and waits to be killed. */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const preload = fileURLToPath(
  new URL('../../../../services/indexer/ponder/endWithParent.ts', import.meta.url),
)
const program = fileURLToPath(new URL('./ponderWithUnreadLog.ts', import.meta.url))
const child = spawn(process.execPath, ['--no-warnings', '--import', preload, program], {
  stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  detached: true,
})
child.on('message', (pid) => process.stdout.write(`${pid}\n`))

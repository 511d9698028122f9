import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { isAlive } from '../../../../services/process/processInfo.ts'
import { until } from '../../../rig/until.ts'

const SUPERVISOR = fileURLToPath(new URL('./supervisor.ts', import.meta.url))

test('Ponder ends with its supervisor although its log has unread lines', async () => {
  const supervisor = spawn(process.execPath, ['--no-warnings', SUPERVISOR], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await Promise.race([
    once(supervisor.stdout, 'data'),
    once(supervisor, 'exit').then(() => {
      throw new Error('the supervisor ended before its child had started')
    }),
  ])) as [Buffer]
  const orphan = Number(line.toString())
  try {
    expect(isAlive(orphan)).toBe(true)
    supervisor.kill('SIGKILL')
    await until(() => !isAlive(orphan), 'the orphan ends')
  } finally {
    if (isAlive(orphan)) process.kill(orphan, 'SIGKILL')
  }
})

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { restartOnChange } from '../../../devnet/restartOnChange.ts'

function sleeper() {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' })
  return { pid: child.pid as number, ended: once(child, 'exit'), child }
}

it.each([
  ['api/http/listen.ts', ['api']],
  ['services/deeper/down/file.ts', ['indexer', 'api']],
  ['core/changed.ts', ['indexer', 'api']],
  ['ponder.schema.ts', ['indexer', 'api']],
])('a change of %s ends %j', async (path, concerned) => {
  const root = mkdtempSync(join(tmpdir(), 'cairn-watch-'))
  for (const folder of ['src', 'core', 'sdk', 'api/http', 'services/deeper/down'])
    mkdirSync(join(root, folder), { recursive: true })
  for (const file of ['ponder.schema.ts', 'ponder.config.ts', path])
    writeFileSync(join(root, file), '')
  const roles = { indexer: sleeper(), api: sleeper() }
  const stop = restartOnChange(() => ({ indexer: roles.indexer.pid, api: roles.api.pid }), root)
  try {
    writeFileSync(join(root, path), 'changed')
    for (const role of concerned as (keyof typeof roles)[])
      expect(await roles[role].ended).toEqual([null, 'SIGTERM'])
    const spared = Object.entries(roles).filter(([role]) => !concerned.includes(role))
    expect(spared.every(([, { child }]) => child.exitCode === null && !child.killed)).toBe(true)
  } finally {
    stop()
    for (const { child } of Object.values(roles)) child.kill('SIGKILL')
    rmSync(root, { recursive: true, force: true })
  }
})

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/nodes/', import.meta.url))

/** Path of another Node version's binary, from npm; downloaded once. */
export function downloadNode(version: string): string {
  const folder = join(CACHE, version)
  const name = `node-${process.platform}-${process.arch}`
  const command = join(folder, 'node_modules', name, 'bin/node')
  if (existsSync(command)) return command
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  const run = spawnSync('npm', ['install', '--no-audit', '--no-fund', `${name}@${version}`], {
    cwd: folder,
    encoding: 'utf8',
  })
  if (run.status !== 0) throw new Error(`Node ${version} could not be installed: ${run.stderr}`)
  return command
}

import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { INSTALL, PEERS, peerDirectory } from '../../bench/api/installPeers.ts'

const directory = mkdtempSync(join(tmpdir(), 'cairn-peers-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

// What npm would do, without doing it: a lock file is all that it needs for that.
test.each(
  PEERS,
)('a clean checkout can install %s by its lock file, which stays unchanged', (peer) => {
  for (const name of ['package.json', 'package-lock.json'])
    copyFileSync(join(peerDirectory(peer), name), join(directory, name))
  const output = execFileSync('npm', [...INSTALL, '--dry-run', '--offline'], {
    cwd: directory,
    encoding: 'utf8',
    // The tests may run below an npm that was told to be silent.
    env: { ...process.env, npm_config_loglevel: 'notice' },
  })
  expect(output).toMatch(/added \d+ packages/)
  expect(output).toContain(`add ${peer} `)
  const lock = readFileSync(join(directory, 'package-lock.json'), 'utf8')
  expect(lock).toBe(readFileSync(join(peerDirectory(peer), 'package-lock.json'), 'utf8'))
})

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { ConfigurationError } from '../../../services/config/configurationError.ts'
import { readSecretFiles } from '../../../services/config/readSecretFiles.ts'

const directory = mkdtempSync(join(tmpdir(), 'cairn-secrets-'))
afterAll(() => rmSync(directory, { recursive: true }))

function fileWith(text: string): string {
  const path = join(directory, String(Math.random()))
  writeFileSync(path, text, { mode: 0o600 })
  return path
}

test('a secret may be in a file, without the line feed at its end', () => {
  const env: NodeJS.ProcessEnv = {
    ADMIN_TOKENS: '',
    ADMIN_TOKENS_FILE: fileWith('t0ken,t1ken\n'),
    RPC_URL_8453_FILE: fileWith('https://node.example/k3y\n'),
    SOLVER_KEY_FILE: 'solver.key',
    SERVICE_TOKENS_FILE: '',
    DATABASE_URL: 'postgres://db/cairn',
  }
  readSecretFiles(env)
  expect(env).toEqual({
    ADMIN_TOKENS: 't0ken,t1ken',
    RPC_URL_8453: 'https://node.example/k3y',
    SOLVER_KEY_FILE: 'solver.key',
    SERVICE_TOKENS_FILE: '',
    DATABASE_URL: 'postgres://db/cairn',
  })
})

test('every secret’s file that can’t be used is named, but no secret', () => {
  const [secret, empty, missing] = [fileWith('s3cret'), fileWith('\n'), join(directory, 'none')]
  const env: NodeJS.ProcessEnv = {
    DATABASE_URL: 's3cret too',
    DATABASE_URL_FILE: secret,
    ADMIN_TOKENS_FILE: empty,
    SOLVER_ADMIN_TOKENS_FILE: missing,
  }
  expect(() => readSecretFiles(env)).toThrow(
    new ConfigurationError([
      'DATABASE_URL_FILE: DATABASE_URL is set too; keep one of them',
      `ADMIN_TOKENS_FILE (${empty}): the file is empty`,
      `SOLVER_ADMIN_TOKENS_FILE (${missing}): can't be read: ENOENT`,
    ]),
  )
})

test('a secret’s file that others may read is used, with a warning', () => {
  const path = fileWith('t0ken\n')
  chmodSync(path, 0o644)
  const env: NodeJS.ProcessEnv = { ADMIN_TOKENS_FILE: path, SERVICE_TOKENS_FILE: fileWith('t1ken') }
  const lines: string[] = []
  readSecretFiles(env, (line) => void lines.push(line))
  expect(env).toEqual({ ADMIN_TOKENS: 't0ken', SERVICE_TOKENS: 't1ken' })
  expect(lines).toEqual([
    `ADMIN_TOKENS_FILE (${path}): others on this machine may read it; run chmod 600 on it`,
  ])
})

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { ConfigurationError } from '../../../services/config/configurationError.ts'
import { readSolverConfiguration } from '../../../services/config/readSolverConfiguration.ts'

const KEY = '11'.repeat(32)
const directory = mkdtempSync(join(tmpdir(), 'cairn-solver-config-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

function fileOf(name: string, text: string, mode = 0o600): string {
  const path = join(directory, name)
  writeFileSync(path, text, { mode })
  chmodSync(path, mode)
  return path
}

const CHAINS = fileOf(
  'chains.json',
  JSON.stringify({
    chains: [
      {
        name: 'base_sepolia',
        chainId: 84532,
        rpcUrls: ['http://127.0.0.1:1'],
        bridge: `0x${'22'.repeat(20)}`,
        startBlock: 0,
        confirmations: 1,
      },
    ],
  }),
)

const ENV = {
  SOLVER_DATABASE_URL: 'postgres://u:p@127.0.0.1/solver',
  SOLVER_RELAYER_URL: 'http://127.0.0.1:8080/',
  SOLVER_POLICY: 'policy.json',
  SOLVER_KEY_FILE: fileOf('key', `0x${KEY}\n`),
  CHAINS,
}

function problemsOf(env: Record<string, string | undefined>): readonly string[] {
  try {
    readSolverConfiguration(env)
    return []
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError)
    return (error as ConfigurationError).problems
  }
}

describe('a solver’s configuration', () => {
  it('has defaults for what can have them', () => {
    expect(readSolverConfiguration(ENV)).toMatchObject({
      relayerUrl: 'http://127.0.0.1:8080',
      privateKey: `0x${KEY}`,
      host: '127.0.0.1',
      port: 8090,
      adminTokens: [],
      roundMs: 1_000,
      logLevel: 'info',
    })
  })

  it('says everything that is missing at once', () => {
    const found = problemsOf({}).join('\n')
    for (const name of [
      ...['SOLVER_DATABASE_URL', 'SOLVER_RELAYER_URL', 'SOLVER_POLICY', 'SOLVER_KEY_FILE'],
      'CHAINS',
    ])
      expect(found).toContain(name)
  })

  it('refuses a key that others may read, and never quotes one', () => {
    const open = fileOf('open', KEY, 0o644)
    expect(problemsOf({ ...ENV, SOLVER_KEY_FILE: open })).toEqual([
      `SOLVER_KEY_FILE (${open}): others on this machine may read it; run chmod 600 on it`,
    ])
    const wrong = fileOf('wrong', `${KEY} and more`)
    const found = problemsOf({ ...ENV, SOLVER_KEY_FILE: wrong }).join('\n')
    expect(found).toContain('expected 64 hex digits')
    expect(found).not.toContain(KEY)
  })

  it('refuses short admin tokens and impossible numbers', () => {
    const found = problemsOf({
      ...ENV,
      SOLVER_ADMIN_TOKENS: 'short',
      SOLVER_PORT: '70000',
      SOLVER_ROUND_MS: '1',
    })
    expect(found).toHaveLength(3)
  })
})

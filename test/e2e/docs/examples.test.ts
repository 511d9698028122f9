import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { createPublicClient, http } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DevnetFile } from '../../../services/devnet/devnetFile.ts'
import { removeClusterDirectory } from '../../../services/postgres/clusterDirectory.ts'
import { allGone, type DevnetProcess, endAll, npmStart, until } from '../start/devnetProcess.ts'

const ROOT = new URL('../../../', import.meta.url).pathname
const run = promisify(execFile)

/** The reader's folder: the devnet's state is in its `.cairn`, as after `npm start`. */
const home = mkdtempSync(join(tmpdir(), 'cairn-docs-'))
chmodSync(home, 0o755)

type ChainMeta = { chainId: string; block: number; blockHash: string }

let devnet: DevnetProcess
let devnetFile: DevnetFile

beforeAll(async () => {
  devnet = npmStart(join(home, '.cairn'), '--traffic', '30/min')
  devnetFile = await devnet.running()
  const { api } = devnetFile
  await until(async () => {
    const answer = await fetch(`${api}/intents?status=completed&limit=1`)
    const { intents } = (await answer.json()) as { intents?: unknown[] }
    return intents !== undefined && intents.length > 0
  })
})

afterAll(async () => {
  const family = devnet.descendants()
  await endAll()
  await allGone(family)
  removeClusterDirectory(join(home, '.cairn', 'postgres'))
  rmSync(home, { recursive: true, force: true })
})

/** What stands between ```sh fences, in order. */
function shellBlocks(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8')
  return [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block ?? '')
}

/**
 * Runs blocks as a reader would, one after the other in one shell, here in the reader's folder;
 * `npm run` and `npx` find the project's own programs as they would in a clone. Answers what each
 * block printed.
 */
async function outputs(blocks: string[]): Promise<string[]> {
  const border = '=== next block ==='
  const npm =
    'npm() { local s=$2; shift 2; case "$1" in --) shift ;; esac; ' +
    `set -- $(node -p "require('$ROOT/package.json').scripts['$s'].replace(/\\S+[.]ts/, '$ROOT/$&')") "$@"; "$@"; }`
  const npx =
    'npx() { local b=$1; shift; ' +
    `node "$ROOT/$(node -p "require('$ROOT/package.json').bin['$b']")" "$@"; }`
  const script = ['set -euo pipefail', npm, npx, blocks.join(`\necho; echo '${border}'\n`)].join(
    '\n',
  )
  const environment = {
    ...process.env,
    ROOT,
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
  }
  const { stdout } = await run('bash', ['-c', script], {
    cwd: home,
    env: environment,
    maxBuffer: 64 * 1024 * 1024,
  })
  return stdout.split(`${border}\n`)
}

function expectNoFailure(output: string): void {
  expect(output).not.toMatch(/"success":\s*false|"errors":\s*\[/)
}

describe.each(['README.md', 'docs/rest.md', 'docs/proofs.md'])('the examples of %s', (file) => {
  it('run as they stand and answer without an error', async () => {
    const blocks = shellBlocks(file)
    expect(blocks).not.toEqual([])
    const setUp = file === 'README.md' ? [] : shellBlocks('README.md').slice(0, 1)
    const printed = await outputs([...setUp, ...blocks])
    for (const output of printed) expectNoFailure(output)
  })
})

describe('the README', () => {
  it('shows completed or failed intents to the dashboard author, one intent to the integrator, and a sound replay to the auditor', async () => {
    const [, , dashboard = '', integrator = '', auditor = ''] = [
      '',
      ...(await outputs(shellBlocks('README.md'))),
    ]
    const { data } = JSON.parse(dashboard)
    expect(data.intents.totalCount).toBeGreaterThan(0)
    expect(JSON.parse(integrator).intent.status).toBe('completed')
    expect(auditor).toMatch(/base_sepolia/)
  })
})

describe('GraphQL’s _meta', () => {
  it('names the indexed head by the hash that the chain’s node gives it', async () => {
    const { api, chains } = devnetFile
    const query = '{ _meta { chains { chainId block blockHash lagSeconds finalizedBlock } } }'
    const answer = await fetch(`${api}/graphql?query=${encodeURIComponent(query)}`)
    const { data } = (await answer.json()) as { data: { _meta: { chains: ChainMeta[] } } }
    expect(data._meta.chains).toHaveLength(2)
    for (const { chainId, block, blockHash } of data._meta.chains) {
      const rpc = chains.find((chain) => String(chain.chainId) === chainId)?.rpc
      const client = createPublicClient({ transport: http(rpc) })
      const { hash } = await client.getBlock({ blockNumber: BigInt(block) })
      expect(blockHash).toBe(hash)
    }
  })
})

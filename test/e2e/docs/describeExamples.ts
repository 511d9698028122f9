import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { createPublicClient, http } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import type { DevnetFile } from '../../../devnet/devnetFile.ts'
import { setUpExample } from '../../../examples/exampleSetup.ts'
import { quoteUsdc } from '../../../examples/send/sendUsdc.ts'
import { DEVNET_POLLING } from '../../rig/devnetProcess.ts'
import { completeVariables, GUIDE_EXAMPLES } from '../../rig/graphqlGuide.ts'
import { until } from '../../rig/until.ts'

const ROOT = new URL('../../../', import.meta.url).pathname
const run = promisify(execFile)

type ChainMeta = { chainId: string; block: number; blockHash: string }

/**
 * Starts the senders' examples, which mostly wait, on a devnet with traffic.
 *
 * @param home the reader's folder: the devnet's state is in its `.cairn`, as after `npm start`
 */
export function beginSending(home: string, devnet: DevnetFile): Promise<string[]> {
  const sending = until(
    () => hasSolver(devnet),
    'a solver has a stake for what the examples send',
    DEVNET_POLLING,
  ).then(() => outputs(home, 'docs/sender.md', shellBlocks('README.md').slice(0, 1)))
  sending.catch(() => {})
  return sending
}

/** Tests of the senders' examples. @param begun called once the tests have started */
export function describeSending(begun: () => Promise<string[]>): void {
  it('the examples of docs/sender.md run unchanged and return no error', async () => {
    await begun()
  })
}

/**
 * Tests of the other documents' examples, on a devnet that runs anyway.
 *
 * @param home see `beginSending`
 * @param running the devnet's file; called once the tests have started
 */
export function describeExamples(home: string, running: () => DevnetFile): void {
  describe('the examples of', () => {
    beforeAll(async () => {
      const { api } = running()
      await until(
        async () => {
          const answer = await fetch(
            `${api}/intents?status=completed&sourceChainId=base_sepolia&limit=1`,
          )
          const { intents } = (await answer.json()) as { intents?: unknown[] }
          return intents !== undefined && intents.length > 0
        },
        'an intent of base_sepolia is completed',
        DEVNET_POLLING,
      )
    })

    it('README.md run unchanged: they show intents to the dashboard author, one to the integrator, and a sound replay to the auditor', async () => {
      const [, dashboard = '', integrator = '', auditor = ''] = await outputs(home, 'README.md')
      const { data } = JSON.parse(dashboard)
      expect(data.intents.totalCount).toBeGreaterThan(0)
      expect(JSON.parse(integrator).intent.status).toBe('completed')
      expect(auditor).toMatch(/base_sepolia/)
    })

    it.each([
      'docs/graphql.md',
      'docs/rest.md',
      'docs/proofs.md',
    ])('%s run unchanged and return no error', async (file) => {
      const [setUp = ''] = shellBlocks('README.md')
      await outputs(home, file, [setUp])
    })
  })

  describe('GraphQL’s guide', () => {
    const queries = GUIDE_EXAMPLES.filter(({ query }) => query.startsWith('query'))
    it.each(queries)('its query $name returns data', async (example) => {
      const ask = (query: string, variables: object = {}) =>
        askGraphql(running().api, query, variables)
      const data = await ask(example.query, await completeVariables(example, ask))
      if (example.name === 'Then')
        expect(data).toMatchObject({
          intents: { nodes: expect.arrayContaining([expect.anything()]) },
        })
    })
  })

  describe('GraphQL’s _meta', () => {
    it('names the indexed head by its hash on the chain’s node', async () => {
      const { api, chains } = running()
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
}

/** A query's data; fails with its errors. */
async function askGraphql(api: string, query: string, variables: object): Promise<unknown> {
  const answer = await fetch(`${api}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  })
  const { data, errors } = (await answer.json()) as { data?: unknown; errors?: unknown }
  expect(errors).toBe(undefined)
  return data
}

/** Whether anybody could bid for what the examples send. */
async function hasSolver(devnet: DevnetFile): Promise<boolean> {
  const quote = await quoteUsdc(setUpExample(devnet, 0)).catch(() => null)
  return quote !== null && quote.ableSolvers > 0
}

/** The contents of ```sh fences, in order. */
function shellBlocks(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8')
  return [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block ?? '')
}

/**
 * Runs a file's blocks as a reader would, in one shell in the reader's folder; `npm run` and `npx` find the project's
 * programs as they would in a clone. Returns what each block printed.
 */
async function outputs(home: string, file: string, setUp: string[] = []): Promise<string[]> {
  const own = shellBlocks(file)
  expect(own).not.toEqual([])
  const blocks = [...setUp, ...own]
  const border = '=== next block ==='
  const npm =
    'npm() { local s=$2; shift 2; if [ "$#" -gt 0 ] && [ "$1" = -- ]; then shift; fi; ' +
    `set -- $(node -p "require('$ROOT/package.json').scripts['$s'].replace(/\\S+[.]ts/g, '$ROOT/$&')") "$@"; "$@"; }`
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
  const printed = stdout.split(`${border}\n`)
  for (const output of printed) expectNoFailure(output)
  return printed
}

function expectNoFailure(output: string): void {
  expect(output).not.toMatch(/"success":\s*false|"errors":\s*\[/)
}

/** Run by tests as a separate process: starts PostgreSQL or anvil and waits to be killed. */

import { type RunningAnvil, startAnvil } from '../../../contracts/anvil/startAnvil.ts'
import { createDevnetClient } from '../../../devnet/devnetClient.ts'
import { startPostgres } from '../../../services/postgres/startPostgres.ts'

const [what, path] = process.argv.slice(2)
if (!path) throw new Error('usage: killedParent.ts postgres|anvil <path>')
const started =
  what === 'postgres'
    ? await startPostgres({ dataDirectory: path })
    : await withOneBlock(await startAnvil({ chainId: 31337, stateFile: path }))
process.stdout.write(`${JSON.stringify({ pid: started.pid, port: started.port })}\n`)
setInterval(() => {}, 60_000)

/** anvil only learns to save at its end some moments after it listens; a block is something to save. */
async function withOneBlock(node: RunningAnvil): Promise<RunningAnvil> {
  const client = createDevnetClient({ ...node, name: 'killed' })
  while ((await client.getBlockNumber()) === 0n) await new Promise((next) => setTimeout(next, 50))
  return node
}

/** `npm run recover:orders`: see `--help`. */

import { readChainsFile } from '../../services/config/readChainsFile.ts'
import { readSecretFiles } from '../../services/config/readSecretFiles.ts'
import { connectEnclave } from '../../services/enclave/socket/connectEnclave.ts'
import { createVaultChains } from '../../services/orders/chain/vaultChain.ts'
import { migrateOrdersDatabase } from '../../services/orders/migrateOrdersDatabase.ts'
import { openDatabase } from '../../services/store/database/openDatabase.ts'
import { explain, onDatabase, readCommandLine, ToolError } from '../commandLine.ts'
import { describeNodes } from '../describeNodes.ts'
import { printable } from '../printable.ts'
import { printableJson } from '../printableJson.ts'
import { createProgressBar } from '../progressBar.ts'
import { describeGaps } from './describeGaps.ts'
import { recoverOrders } from './recoverOrders.ts'

const USAGE = `Recovers every scheduled order from the chains and the enclave.

  npm run recover:orders -- --chains chains.json --enclave <socket>
  npm run recover:orders -- … --database-url postgres://…   also fills the service's database

CHAINS, ENCLAVE_SOCKET and ORDERS_DATABASE_URL stand in for options that aren't given.

Run it after a loss to check that everything came back: the order service recovers its orders by itself at
every start. Prints a certificate for each chain with a vault, as JSON: the blocks read, the orders that the
enclave can open, whether each tranche carries the expected blob, and whether all of it matches what the
bridge has counted, and what the vault has stored and holds.

All nodes in a chain's rpcUrls are compared: one that is proven or voted wrong is left out, and a dispute that
nothing decides is an error. A single node is believed. The certificate and the output name them.

Exit codes: 0 every certificate is complete · 1 one isn't · 2 it failed
`

process.exit(
  await run(process.argv.slice(2)).catch((error: unknown) => {
    process.stderr.write(`${explain('recover:orders', error)}\n`)
    return 2
  }),
)

async function run(args: string[]): Promise<number> {
  readSecretFiles(process.env)
  const { values } = readCommandLine({
    args,
    options: {
      chains: { type: 'string', default: process.env.CHAINS },
      enclave: { type: 'string', default: process.env.ENCLAVE_SOCKET },
      'database-url': { type: 'string', default: process.env.ORDERS_DATABASE_URL },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  const { chains: file, enclave: socket, 'database-url': databaseUrl, help } = values
  if (help) {
    process.stdout.write(USAGE)
    return 0
  }
  if (file === undefined || socket === undefined)
    throw new ToolError(`--chains or --enclave is missing\n\n${USAGE}`)
  const problems: string[] = []
  const chains = createVaultChains(readChainsFile(file, problems))
  if (problems.length > 0) throw new ToolError(problems.join('\n'))
  if (chains.length === 0) throw new ToolError(`no chain in ${file} has a vault`)
  const enclave = connectEnclave(socket)
  if (databaseUrl !== undefined) {
    await onDatabase('--database-url', databaseUrl, migrateOrdersDatabase(databaseUrl))
  }
  // Before a long history is read.
  await enclave.publicKeys()
  const database =
    databaseUrl === undefined ? null : openDatabase({ databaseUrl, name: 'cairn_recovery' })
  const say = (line: string) => void process.stderr.write(`${printable(line)}\n`)
  const output = { progress: createProgressBar(process.stderr), explain: say }
  const certificates = []
  for (const chain of chains) {
    const certificate = await recoverOrders(chain, enclave, database?.db ?? null, output)
    const nodes = describeNodes(certificate.nodes, 'the certificate')
    say([chain.name, ...nodes, ...describeGaps(certificate)].join('\n'))
    certificates.push(certificate)
  }
  process.stdout.write(`${printableJson(certificates, { replacer: bigintAsText })}\n`)
  await database?.close()
  return certificates.every(({ isComplete }) => isComplete) ? 0 : 1
}

function bigintAsText(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}

/**
 * The only place where programs are put together: `npx cairn <role>` starts it (tools/cairn.js).
 */
import './process/modules/quickModules.ts'
import { environmentFor } from './process/heldRole.ts'
import { refuseTakenPort } from './process/refuseTakenPort.ts'

const help = async () => `npx cairn <role> [options]

Runs on Node 20 or later: the launcher starts the project's own Node.

Roles
  devnet    a whole Cairn on this machine (npm start); has options, see below
  indexer   follows the chains and fills the database (npm run start:indexer)
  api       REST and GraphQL over that database (npm run start:api)
  reactions the relayer's reconciler: anchors, settles, refunds (npm run start:reactions)
  push      reports events: event streams, webhooks (npm run start:push)
  transfers follows payments to recipients’ Safes; started by the role reactions
  solver    bids on intents and delivers them (npm run start:solver)
  orders    scheduled orders: one deposit, many tranches (npm run start:orders)
  enclave   holds the secrets; other roles call it through a socket (npm run start:enclave)

Tools; each has its own --help
  replay    folds the chains' history without a database and compares (npm run replay)
  report    a period for auditors: intents, statements, changes, signed (npm run report)
  verify    checks a proof of an intent's history offline (npm run verify)
  recover   restores what only a lost database knew (npm run recover)
  sweep     moves a recipient's funds without the relayer (npm run sweep)

Variables of enclave
  ENCLAVE_ROOT_FILE  file of the root secret (required); created with mode 0600 if absent
  ENCLAVE_SOCKET     Unix socket to serve on (required), in a directory of mode 0700
  ENCLAVE_AWAITS_ROOT  1: without a file, waits for another enclave's root instead of making one
  ENCLAVE_QUOTING_KEY  signs its evidence on development chains, 0x and 64 hex digits
  CHAINS, AUTH_MODE, LOG_LEVEL  as for the other roles
Variables of reactions, besides those of indexer and api
  ENCLAVE_SOCKET        Unix socket of the enclave (or ENCLAVE_ROOT_FILE: the enclave in this process)
  ENCLAVE_SOCKETS       sockets of all enclaves that sign, comma-separated; the first opens and pays
  REFUND_AFTER_SECONDS  seconds that a due refund is left to others (default 60)
  BUMP_AFTER_SECONDS    seconds until a transaction that isn't mined is replaced (default 30)
  MAX_FEE_GWEI          gas price limit on chains without maxFeeGwei (default 200 on Ethereum, 2000 on
                        Polygon, 10 elsewhere)
Variables of push
  PUSH_KEY_FILE        file of the key that opens webhooks' secrets, created with mode 0600 if absent;
                       without it no webhooks are delivered
  ALLOW_PRIVATE_WEBHOOKS  1: also http and private addresses, here and for the API; refused with a mainnet
  DATABASE_URL, CHAINS, LOG_LEVEL  as for the other roles
Variables of solver
  SOLVER_DATABASE_URL  its own PostgreSQL (required)
  SOLVER_RELAYER_URL   base URL of the relayer (required)
  SOLVER_POLICY        path of its policy, a JSON file: docs/solver.md (required)
  SOLVER_KEY_FILE      file with its private key, 64 hex digits, mode 0600 (required)
  SOLVER_ADMIN_TOKENS  bearer tokens of /start and /stop, comma-separated; without any, these paths don't exist
  SOLVER_HOST, SOLVER_PORT  address and port to listen on (default 127.0.0.1 and 8090; 0: any free one)
  SOLVER_ROUND_MS      milliseconds between rounds (default 1000)
  CHAINS, LOG_LEVEL    as for the other roles
Variables of orders
  ORDERS_DATABASE_URL  its own PostgreSQL (required)
  ORDERS_RELAYER_URL   base URL of the relayer (required)
  ENCLAVE_SOCKET, ENCLAVE_SOCKETS  as for reactions (required)
  ORDERS_HOST, ORDERS_PORT  address and port to listen on (default 127.0.0.1 and 8095; 0: any free one)
  ORDERS_GWEI_PER_MINIMUM  gas that a bridge's minimum amount of a token is worth, in gwei (default 1000000:
                       0.001 of the chain's coin): smaller tranches are refused while gas costs more
  ORDERS_UNPAID_GAS    gas a day and chain that no fee covers, over all owners (default 60000000);
                       fundings may use half of it, tranches all of it
  ORDERS_LOOK_MS       milliseconds between rounds (default 500)
  AUTH_MODE, CHAINS, LOG_LEVEL, MAX_FEE_GWEI, TRUSTED_PROXIES  as for the other roles
Variables of indexer and api
  DATABASE_URL     PostgreSQL 15 or later: postgres://user:password@host:5432/name (required)
  CHAINS           path of a JSON file (required):
                   {"chains": [{"name", "chainId", "rpcUrls": [], "agreeingWitnesses"?, "wsUrl"?,
                   "bridge", "registry"?, "vault"?, "startBlock", "confirmations",
                   "maxFeeGwei"?, "tokens"?: {SYMBOL: {"address", "decimals"}}}]}
  LOG_LEVEL        fatal, error, warn, info (default), debug, trace or silent
Variables of api
  API_HOST         address to listen on (default 127.0.0.1)
  API_PORT         port to listen on (default 8080; 0: any free one)
  TRUSTED_PROXIES  addresses or CIDR ranges whose X-Forwarded-For is trusted, comma-separated
  API_READS_PER_SECOND, API_READS_BURST    for each client (default 50 and 100)
  API_WRITES_PER_SECOND, API_WRITES_BURST  for all clients together (default 100 and 200)
  API_CLIENT_WRITES_PER_SECOND, API_CLIENT_WRITES_BURST  for each client (default 20 and 50)
  API_MEMORY_MB    cache of intents and answers, in megabytes (default half of Node's heap limit, at
                   most 2048; 0: none)
  USD_PRICES       file or http(s) URL of USD prices, {"source", "asOf", "prices": [{"chain", "token",
                   "usd"}]}; without it no US dollar appears
  USD_PRICES_MAX_AGE  seconds after which a price isn't shown any more (default 3600)
  ENCLAVE_SOCKET   Unix socket of the enclave; without it there are no writes and private reads
  ENCLAVE_SOCKETS  sockets of all enclaves that sign, comma-separated; the first opens and pays
  AUTH_MODE        strict (default) or compat, which trusts the specification's unsigned calls;
                   refused with a mainnet unless ALLOW_COMPAT_ON_MAINNET=1, as is a chain's own "mode"
  SCREEN_RECIPIENTS  whose nodes are asked whether the token refuses a recipient: own (default: on this
                   machine or in a private network), always or never
  ADMIN_TOKENS     bearer tokens of operators, 32 bytes or more, comma-separated; without any, no admin routes
  SERVICE_TOKENS   bearer tokens of services that may call generate-stealth, likewise
  SPONSOR_GAS      most gas of one transaction paid for a Safe's owner (default 1500000)
  SPONSOR_GAS_PER_MINIMUM  most gas for all Safes of an intent, per multiple of the bridge's minimum
                   amount (default 1500000)
  SPONSOR_GAS_PER_RECIPIENT  gas that each of these Safes can count on (default 500000)
  SPONSOR_PER_SAFE, SPONSOR_PER_CLIENT  most such transactions a day (default 20 and 5000)
  SPONSOR_DAILY_GWEI  most they may cost a day on one chain (default 100000000: 0.1 of its coin)

The devnet
${(await import('../devnet/readCommandLine.ts')).DEVNET_HELP.replace(/^/gm, '  ').trimEnd()}
`

const [role, ...args] = process.argv.slice(2)

/** What runs in each role, and the address at which it listens by default, if it does. */
const ROLES: Readonly<Record<string, Role>> = {
  indexer: { load: async () => (await import('./roles/runIndexer.ts')).runIndexer },
  api: {
    load: async () => (await import('./roles/runApi.ts')).runApi,
    listens: { host: 'API_HOST', port: 'API_PORT', defaultPort: '8080' },
  },
  reactions: { load: async () => (await import('./roles/runReactions.ts')).runReactions },
  transfers: { load: async () => (await import('./roles/runTransfers.ts')).runTransfers },
  push: { load: async () => (await import('./roles/runPush.ts')).runPush },
  enclave: { load: async () => (await import('./roles/runEnclave.ts')).runEnclave },
  orders: {
    load: async () => (await import('./roles/runOrders.ts')).runOrders,
    listens: { host: 'ORDERS_HOST', port: 'ORDERS_PORT', defaultPort: '8095' },
  },
  solver: {
    load: async () => (await import('./roles/runSolver.ts')).runSolver,
    listens: { host: 'SOLVER_HOST', port: 'SOLVER_PORT', defaultPort: '8090' },
  },
}

type Role = {
  load: () => Promise<(env: NodeJS.ProcessEnv) => Promise<unknown>>
  /** The variables of its address, and its port where none is set. */
  listens?: { host: string; port: string; defaultPort: string }
}

async function startRole({ load, listens }: Role): Promise<void> {
  const env = await environmentFor(load)
  if (listens) {
    const [host, port] = [
      env[listens.host] || '127.0.0.1',
      env[listens.port] || listens.defaultPort,
    ]
    if (await refuseTakenPort(listens.port, host, port)) return
  }
  const run = await load()
  await run(env)
}

switch (role) {
  case 'devnet': {
    const { runDevnet } = await import('../devnet/runDevnet.ts')
    await runDevnet(args, process.env)
    break
  }
  case '--help':
  case '-h':
  case 'help':
    process.stdout.write(await help())
    break
  default:
    if (role !== undefined && Object.hasOwn(ROLES, role)) {
      await startRole(ROLES[role] as Role)
      break
    }
    process.stderr.write(
      `${role === undefined ? '' : `There is no role "${role}".\n\n`}${await help()}`,
    )
    process.exitCode = 2
}

/**
 * Starts every role: the program behind `npx cairn <role>` (tools/cairn.js).
 */
import './process/modules/speedUpModuleLoading.ts'
import { findMisspeltVariables } from './config/findMisspeltVariables.ts'
import { readSecretFiles, SECRET_VARIABLES } from './config/readSecretFiles.ts'
import { awaitRoleEnvironment } from './process/awaitRoleEnvironment.ts'
import { refuseTakenPort } from './process/findFreePort.ts'

const ROLES_HELP = `npx cairn <role> [options]

Needs Node 20 or later: the launcher then starts the project's own Node.

Roles
  devnet    all of Cairn on this machine (npm start); options below
  indexer   follows the chains and fills the database (npm run start:indexer)
  api       serves REST and GraphQL from that database (npm run start:api)
  reactions the relayer's reconciler: anchors, settles, refunds (npm run start:reactions)
  push      delivers event streams and webhooks (npm run start:push)
  transfers follows transfers to recipients’ Safes; reactions starts it
  solver    bids on intents and delivers them (npm run start:solver)
  orders    serves scheduled orders: one deposit, many tranches (npm run start:orders)
  enclave   holds the secrets; other roles call its socket (npm run start:enclave)

Tools, each with its own --help
  replay    folds the chains' history without a database and compares (npm run replay)
  report    reports a period for auditors, signed (npm run report)
  verify    checks a proof of an intent's history offline (npm run verify)
  recover   rebuilds a lost relayer database (npm run recover)
  sweep     moves a recipient's funds without the relayer (npm run sweep)

Variables of indexer and api
  DATABASE_URL     PostgreSQL 15 or later: postgres://user:password@host:5432/name (required)
  CHAINS           path of the chains file, JSON (required); docs/operating.md describes it
                   {"chains": [{"name", "chainId", "rpcUrls": [], "agreeingWitnesses"?, "wsUrl"?,
                   "bridge", "bridgeCodeHash"?, "registry"?, "vault"?, "startBlock", "confirmations",
                   "maxFeeGwei"?, "gweiPerMinimum"?, "mode"?, "safe"?, "blockExplorer"?,
                   "tokens"?: {SYMBOL: {"address", "decimals"}}}]}
  LOG_LEVEL        fatal, error, warn, info (default), debug, trace or silent
Variables of api
  API_HOST         address to listen on (default 127.0.0.1)
  API_PORT         port to listen on (default 8080; 0: any free port)
  TRUSTED_PROXIES  addresses or CIDR ranges whose X-Forwarded-For is trusted, comma-separated
  API_READS_PER_SECOND, API_READS_BURST    for each client (default 50 and 100)
  API_WRITES_PER_SECOND, API_WRITES_BURST  for all clients together (default 100 and 200)
  API_CLIENT_WRITES_PER_SECOND, API_CLIENT_WRITES_BURST  for each client (default 20 and 50)
  API_DRAIN_SECONDS  seconds for which a stopping API still answers, while GET /ready says 503
                   (default 0)
  API_MEMORY_MB    cache of intents and answers, in megabytes (default half of Node's heap limit, at
                   most 2048; 0: no cache)
  USD_PRICES       file or http(s) URL of USD prices: {"source", "asOf", "prices": [{"chain", "token",
                   "usd"}]}; without it the API shows none
  USD_PRICES_MAX_AGE  seconds for which a price is shown (default 3600)
  ENCLAVE_SOCKET   Unix socket of the enclave; without it there are no writes or private reads
  ENCLAVE_SOCKETS  sockets of all enclaves that sign, comma-separated; the first opens and pays
  AUTH_MODE        strict (default) or compat, which accepts the specification's unsigned calls;
                   give every role the same
  ALLOW_COMPAT_ON_MAINNET  1: allow compat on a mainnet chain, by AUTH_MODE or by the chain's "mode".
                   Without it, every role except the solver refuses to start
  SCREEN_RECIPIENTS  whose nodes to ask whether the token refuses a recipient: own (default: nodes on
                   this machine or in a private network), always or never
  ADMIN_TOKENS     operators' bearer tokens, at least 32 bytes each, comma-separated; without them
                   there are no admin routes
  SERVICE_TOKENS   bearer tokens of services that may call generate-stealth, in the same format
  SPONSOR_GAS      maximum gas of a transaction paid for a Safe's owner (default 1500000)
  SPONSOR_GAS_PER_MINIMUM  maximum gas for all Safes of an intent, per multiple of the bridge's minimum
                   amount (default 1500000)
  SPONSOR_GAS_PER_RECIPIENT  gas that each of these Safes can count on (default 500000); give reactions
                   both values too: either role refuses an intent too small for its Safes
  SPONSOR_PER_SAFE, SPONSOR_PER_CLIENT  maximum such transactions a day (default 20 and 5000)
  SPONSOR_DAILY_GWEI  maximum they may cost a day on one chain (default 300000000000 on Polygon,
                   100000000 elsewhere: 300 POL, and 0.1 ether)
Variables of enclave
  ENCLAVE_ROOT_FILE  file of the root secret (required); created with mode 0600 if it doesn't exist
  ENCLAVE_KEY_FOLDER  writable folder for the enclave's own keys; without it, that of the root file
  ENCLAVE_SOCKET     Unix socket to serve on (required), in a directory of mode 0700, or
                     0750: its group may then call the enclave
  ENCLAVE_AWAITS_ROOT  1: if there is no root file, wait for another enclave's root; don't create one
  ENCLAVE_QUOTING_KEY  key that signs its evidence on development chains: 0x and 64 hex digits
  CHAINS, AUTH_MODE, ALLOW_COMPAT_ON_MAINNET, LOG_LEVEL  as above
Variables of reactions, in addition to those of indexer and api
  ENCLAVE_SOCKET        Unix socket of the enclave (or ENCLAVE_ROOT_FILE: the enclave in this process)
  ENCLAVE_SOCKETS       sockets of all enclaves that sign, comma-separated; the first opens and pays
  REFUND_AFTER_SECONDS  seconds to leave a due refund to others (default 60)
  BUMP_AFTER_SECONDS    seconds until a transaction that isn't mined is replaced (default 30)
  RELAYER_UNPAID_GAS    gas per day and chain for the anchors of all senders, beyond what their
                        fees paid for; refunds have as much (default 60000000)
  MAX_FEE_GWEI          gas price limit on chains without maxFeeGwei (default 200 on Ethereum, 2000 on
                        Polygon, 10 elsewhere)
Variables of push
  PUSH_KEY_FILE        file of the key that decrypts webhook secrets; created with mode 0600 if it
                       doesn't exist; without this variable no webhooks are delivered
  ALLOW_PRIVATE_WEBHOOKS  1: also deliver to http URLs and private addresses; set it for the API too;
                       refused with a mainnet chain
  DATABASE_URL, CHAINS, LOG_LEVEL  as above
Variables of solver
  SOLVER_DATABASE_URL  its own PostgreSQL (required)
  SOLVER_RELAYER_URL   base URL of the relayer (required)
  SOLVER_POLICY        path of its policy, a JSON file: docs/solver.md (required)
  SOLVER_KEY_FILE      file with its private key: 64 hex digits, mode 0600 (required)
  SOLVER_ADMIN_TOKENS  bearer tokens for /start and /stop, at least 32 bytes each, comma-separated;
                       without them these paths don't exist
  SOLVER_HOST, SOLVER_PORT  address and port to listen on (default 127.0.0.1 and 8090; 0: any free port)
  SOLVER_ROUND_MS      milliseconds between rounds (default 1000)
  CHAINS, LOG_LEVEL    as above
Variables of orders
  ORDERS_DATABASE_URL  its own PostgreSQL (required)
  ORDERS_RELAYER_URL   base URL of the relayer (required)
  ENCLAVE_SOCKET, ENCLAVE_SOCKETS  as for reactions (required)
  ORDERS_HOST, ORDERS_PORT  address and port to listen on (default 127.0.0.1 and 8095; 0: any free port)
  ORDERS_GWEI_PER_MINIMUM  gas that the bridge's minimum amount of a token is worth, in gwei (default
                       1000000: 0.001 of the chain's coin), on chains without their own
                       gweiPerMinimum; smaller tranches are refused while gas costs more
  ORDERS_UNPAID_GAS    gas per day and chain that no fee covers, for all owners (default 60000000);
                       fundings may use half of it, tranches all of it
  ORDERS_ROUND_MS      milliseconds between rounds (default 500)
  MAX_FEE_GWEI         as for reactions
  CHAINS, AUTH_MODE, ALLOW_COMPAT_ON_MAINNET, LOG_LEVEL, TRUSTED_PROXIES, API_READS_…, API_WRITES_…,
  API_CLIENT_WRITES_…, API_DRAIN_SECONDS  as above

Secrets in files, as Docker and Kubernetes mount them
  To give one of these variables as a file, set <variable>_FILE to the file's path instead:
  ${SECRET_VARIABLES.slice(0, 4).join(', ')},
  ${SECRET_VARIABLES.slice(4).join(', ')}
`

const help = async () => `${ROLES_HELP}
The devnet
${(await import('../devnet/readCommandLine.ts')).DEVNET_HELP.replace(/^/gm, '  ').trimEnd()}
`

const VARIABLES = new Set([
  ...(ROLES_HELP.match(/\b(CHAINS|[A-Z\d]+(_[A-Z\d]+)+)\b/g) ?? []),
  ...SECRET_VARIABLES.map((name) => `${name}_FILE`),
])

const [role, ...args] = process.argv.slice(2)

/** What each role runs, and its default address if it listens. */
const ROLES: Readonly<Record<string, Role>> = {
  indexer: { load: async () => (await import('./roles/runIndexer.ts')).runIndexer },
  api: {
    load: async () => (await import('./roles/runApi.ts')).runApi,
    listens: { host: 'API_HOST', port: 'API_PORT', defaultPort: '8080' },
  },
  reactions: { load: async () => (await import('./roles/runReactions.ts')).runReactions },
  transfers: { load: async () => (await import('./roles/runSafeTransfers.ts')).runSafeTransfers },
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
  /** The variables of its address, and its default port. */
  listens?: { host: string; port: string; defaultPort: string }
}

async function startRole({ load, listens }: Role): Promise<void> {
  const env = await awaitRoleEnvironment(load)
  // The reactions start the transfers with their own variables, and have already named these.
  const isTold = role === 'transfers' && process.connected
  const problems = isTold ? [] : findMisspeltVariables(env, VARIABLES)
  for (const problem of problems) process.stderr.write(`${problem}\n`)
  try {
    readSecretFiles(env)
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`)
    process.exitCode = 2
    return
  }
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
      // A role is configured by variables alone: its help is this program's.
      if (args.some((word) => word === '--help' || word === '-h')) {
        process.stdout.write(await help())
        break
      }
      if (args.length > 0) {
        process.stderr.write(
          `The role ${role} takes no options, but got "${args.join(' ')}": set variables instead (see npx cairn --help).\n`,
        )
        process.exitCode = 2
        break
      }
      await startRole(ROLES[role] as Role)
      break
    }
    process.stderr.write(
      role === undefined
        ? await help()
        : `There is no role "${role}": npx cairn --help lists roles and tools.\n`,
    )
    process.exitCode = 2
}

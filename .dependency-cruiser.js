// Which module may import which. docs/architecture.md says what is in each folder.

/**
 * What each module may import: only modules above it here. A name alone stands for the modules below it as well: `src`
 * for every module under src/.
 */
const IMPORTS = {
  'src/chain': '',
  'src/money': '',
  'src/event': '',
  'src/table': 'src',
  'src/intent': 'src',
  'src/order': 'src',
  'src/projection': 'src',
  'src/indexing': 'src',
  'src/api': '',
  'core/chain': '',
  'core/abi': '',
  // Schemas that end at the first wrong entry.
  'core/validation': '',
  'core/money': 'src',
  'core/intent': 'src',
  'core/rows': 'src',
  'core/recoveryBlob': 'src',
  'core/proof': 'src core',
  'core/safe': 'src',
  // Which recipients count: decideBundle.
  'core/recipientBundle': 'src core',
  // What is revealed and attested.
  'core/settlement': 'src core',
  // Events for webhooks and event streams.
  'core/push': 'src core',
  'core/order': 'src core',
  'core/quote': 'src core',
  'sdk': 'src core',
  'services/log': '',
  'services/process': '',
  'services/config': 'core services/log',
  'services/postgres': 'services/process',
  'services/store': 'src core services/process services/config',
  'services/chain': 'src core services/log services/process services/config services/store',
  'services/enclave': 'src core sdk services/config services/chain',
  // Which enclave a database belongs to.
  'services/enclaveBinding': 'services/config services/store services/enclave',
  // Several enclaves' signatures.
  'services/quorum': 'src services/chain services/enclave',
  'services/indexer': 'src core services/process services/config services/store services/chain ponder.schema.ts',
  // An intent's terms, in the enclave's form.
  'services/relayer/terms': 'src services/store services/enclave',
  // Storage proofs, fetched while fresh.
  'services/relayer/evidence': 'src core services/store services/chain services/enclave services/relayer/terms',
  'services/relayer/solvers': 'src services/store services/chain',
  // Wallets, Safes, sponsored gas.
  'services/relayer/recipients': 'src core sdk services/process services/config services/store services/chain services/enclave services/relayer/terms',
  'services/relayer/recipientBundles': 'src core services/config services/store services/chain services/enclave services/relayer/terms services/relayer/recipients',
  'services/relayer/settlement': 'src core sdk services/config services/store services/chain services/enclave services/quorum services/relayer/evidence services/relayer/recipients',
  // Rebuilds schema app.
  'services/relayer/recovery': 'src core services/config services/store services/chain services/enclave services/enclaveBinding services/indexer services/relayer/terms services/relayer/recipients services/relayer/recipientBundles',
  'services/relayer/reconciler': 'src core services/log services/process services/config services/store services/chain services/enclave services/enclaveBinding services/quorum services/relayer',
  'services/orders': 'src core sdk services/log services/process services/config services/store services/chain services/enclave services/enclaveBinding services/quorum',
  'services/push': 'src core services/log services/process services/config services/store',
  'services/solver': 'src core sdk services/log services/process services/config services/store services/chain',
  'api/http': 'src core services/process services/config services/store services/chain services/enclave',
  'api/rest': 'src core sdk services/process services/config services/store services/chain services/enclave services/quorum services/relayer services/push api/http',
  'api/graphql': 'src core services/store services/chain api/http api/rest',
  'api/explorer': 'src core sdk services/config services/store api/http api/rest',
  'api/solverService': 'core services/solver api/http',
  'api/orderService': 'src core services/enclave services/orders api/http',
  'contracts': 'src core sdk services/config services/log services/process',
  'devnet': 'src core sdk services contracts',
  'tools': 'src core sdk services devnet',
  'examples': 'sdk services/postgres devnet',
  'services/roles': 'services api',
  'services/main.ts': 'services devnet',
}
const modules = Object.entries(IMPORTS).map(([module, names]) => ({
  module,
  imports: names.split(' ').filter((name) => name !== ''),
}))
const top = ['ponder.config.ts', 'ponder.schema.ts']
const known = [...modules.map(({ module }) => module), ...top]

/** A regular expression for the files of these modules; a name alone stands for the modules below it as well. */
function within(names) {
  const paths = names.map((name) => (name.endsWith('.ts') ? `${name.replaceAll('.', '\\.')}$` : `${name}/`))
  return `^(?:${paths.join('|')})`
}

/** What a module may import: itself, and of the modules above it those that its line names. */
function allowed({ module, imports }, place) {
  const above = modules.slice(0, place).map((other) => other.module)
  const named = above.filter((other) =>
    imports.some((name) => other === name || other.startsWith(`${name}/`)),
  )
  return within([module, ...named, ...imports.filter((name) => name.endsWith('.ts'))])
}

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...modules.map((row, place) => ({
      name: `imports of ${row.module}`,
      comment: `See ${row.module} in .dependency-cruiser.js.`,
      severity: 'error',
      from: { path: within([row.module]) },
      to: { path: '\\.[cm]?[jt]s$', pathNot: [allowed(row, place), '^node_modules/'], dependencyTypesNot: ['core'] },
    })),
    {
      name: 'a file in no module',
      comment: 'Add its folder here, and a new top-level folder to the table in docs/architecture.md.',
      severity: 'error',
      from: { pathNot: within(known) },
      to: {},
    },
    {
      name: 'what rows depend on',
      comment: 'A change under src costs a full re-index: what no row depends on belongs in core.',
      severity: 'error',
      from: { path: '^(?:src/indexing/handlers|services/indexer/fold/).*\\.ts$' },
      to: { path: '^src/', pathNot: '^src/(?:api|indexing/handlers)', reachable: false },
    },
    {
      name: 'no cycle',
      comment: 'Files that import each other can only be read together.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: "the enclave's closure",
      comment: 'What an enclave runs reaches nothing of the relayer, the index or the API.',
      severity: 'error',
      from: { path: '^services/enclave/' },
      to: { path: within(['services/relayer', 'services/indexer', 'api', 'devnet', 'tools']), reachable: true },
    },
    {
      name: 'no Node in the SDK',
      comment: 'The SDK runs in browsers.',
      severity: 'error',
      from: { path: '^(?:sdk|core|src/(?:chain|money|event|intent|order))/', pathNot: '^(?:core/(?:rows|safe/safeProxyCode)|sdk/build/)' },
      to: { dependencyTypes: ['core'] },
    },
  ],
  options: {
    parser: 'tsc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(test|node_modules|sdk/dist)/' },
  },
}

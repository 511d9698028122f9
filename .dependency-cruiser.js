// Which module may import which: read from the table in docs/architecture.md, so that the two can't differ.
import { readFileSync } from 'node:fs'

const ROW = /^\| `([^`]+)` \|.*\| *((?:`[^`]+` ?)*)\|$/
const modules = readFileSync(new URL('docs/architecture.md', import.meta.url), 'utf8')
  .split('\n')
  .flatMap((line) => {
    const [, module, list] = ROW.exec(line) ?? []
    return module ? [{ module, imports: [...list.matchAll(/`([^`]+)`/g)].map(([, name]) => name) }] : []
  })
const top = ['ponder.config.ts', 'ponder.schema.ts']
const known = [...modules.map(({ module }) => module), ...top]

/** A regular expression for the files of these modules; a name alone stands for the modules below it as well. */
function within(names) {
  const paths = names.map((name) => (name.endsWith('.ts') ? `${name.replaceAll('.', '\\.')}$` : `${name}/`))
  return `^(?:${paths.join('|')})`
}

/** What a module may import: itself, and of the modules above it in the table those that its row names. */
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
      comment: `See the row of ${row.module} in docs/architecture.md.`,
      severity: 'error',
      from: { path: within([row.module]) },
      to: { path: '\\.[cm]?[jt]s$', pathNot: [allowed(row, place), '^node_modules/'], dependencyTypesNot: ['core'] },
    })),
    {
      name: 'a file in no module',
      comment: 'A file that stands in no row of the table in docs/architecture.md.',
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

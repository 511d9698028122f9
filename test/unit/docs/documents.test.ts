import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { readDeploymentFile } from '../../../contracts/deploy/deploymentFile.ts'
import { DEVNET_WINDOWS } from '../../../devnet/bridgeWindows.ts'

const ROOT = join(import.meta.dirname, '../../..')
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

/** Files below a folder, with paths from the root. */
function filesIn(folder: string, ending: RegExp): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => ending.test(name) && !name.includes('node_modules'))
    .map((name) => join(folder, name))
}

const DOCUMENTS = [
  ...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'sdk/README.md', 'contracts/README.md'],
  // Those in docs/sdk are generated.
  ...filesIn('docs', /^(?!sdk).*\.md$/),
  ...filesIn('examples', /\.md$/),
]

/** Sources by path, with the files that tests share. */
const SOURCES = new Map(
  ['api', 'contracts/deploy', 'contracts/src', 'core', 'devnet', 'examples', 'sdk', 'services']
    .concat('src', 'test', 'tools')
    .flatMap((folder) => filesIn(folder, /(?<!\.test)\.(ts|js|sol|graphql|ya?ml)$/))
    .map((path) => [path, read(path)]),
)

/** What a document's matches of a pattern with one group name. */
const named = (text: string, pattern: RegExp) =>
  [...text.matchAll(pattern)].map(([, name]) => name!)

/** The anchors of a document's headings, as GitHub makes them, and its own. */
function anchorsOf(path: string): Set<string> {
  const text = read(path)
  const headings = named(text.replaceAll(/^```.*?^```/gms, ''), /^#+ (.*)$/gm)
    .map((heading) => heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase())
    .map((heading) => heading.replaceAll(/[^\w\- ]/g, '').replaceAll(' ', '-'))
  return new Set([...headings, ...named(text, /id="([^"]+)"/g)])
}

test.each(DOCUMENTS)('the links of %s lead somewhere', (document) => {
  for (const link of named(read(document), /\]\(([^)\s]+)\)/g)) {
    if (/^https?:/.test(link)) continue
    const [path = '', anchor] = link.split('#')
    const target = path === '' ? document : relative(ROOT, join(ROOT, dirname(document), path))
    expect(existsSync(join(ROOT, target)), link).toBe(true)
    if (anchor !== undefined && target.endsWith('.md'))
      expect([...anchorsOf(target)], link).toContain(anchor)
  }
})

test('the npm scripts that the documents and the sources name exist', () => {
  const scripts = ['package.json', 'sdk/package.json'].flatMap((path) =>
    Object.keys(JSON.parse(read(path)).scripts),
  )
  const used = [...DOCUMENTS.map(read), ...SOURCES.values()].flatMap((text) =>
    named(text, /npm run (?:-s )?([a-z]\w*(?::\w+)*)/g),
  )
  expect(scripts).toEqual(expect.arrayContaining(used))
})

function wordsOf(pattern: RegExp): Set<string> {
  return new Set([...SOURCES.values()].flatMap((text) => text.match(pattern) ?? []))
}

test('the documents’ error codes and variables occur in the sources', () => {
  const words = wordsOf(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g)
  for (const document of DOCUMENTS)
    for (const code of named(read(document), /`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?:=1)?`/g))
      expect(words.has(code), `${document}: ${code}`).toBe(true)
})

test('the documents’ names of functions, types and fields occur in the sources', () => {
  const words = wordsOf(/\b[A-Za-z]\w+\b/g)
  // A Safe's function.
  words.add('swapOwner')
  for (const document of DOCUMENTS)
    for (const name of named(read(document), /`((?:[a-z]\w*[A-Z]|[A-Z][a-z])\w*)(?:\([^`]*\))?`/g))
      expect(words.has(name), `${document}: ${name}`).toBe(true)
})

test('the documents’ metrics occur in the sources', () => {
  // The order service's metrics share a prefix.
  const words = wordsOf(/\b[a-z]+(?:_[a-z]+)+\b/g)
  for (const document of DOCUMENTS)
    for (const name of named(read(document), /`cairn_([a-z]+(?:_[a-z]+)+)`/g))
      expect(
        words.has(`cairn_${name}`) || words.has(name.replace('orders_', '')),
        `${document}: cairn_${name}`,
      ).toBe(true)
})

test('the pages and headings that the sources name exist', () => {
  for (const [path, text] of SOURCES)
    for (const [, page = '', anchor] of text.matchAll(/\b(docs\/[\w/-]+\.md)(?:#([\w-]+))?/g)) {
      expect(existsSync(join(ROOT, page)), `${path}: ${page}`).toBe(true)
      if (anchor !== undefined) expect([...anchorsOf(page)], path).toContain(anchor)
    }
})

test('the protocol’s table of windows shows those of deployments and of the devnet', () => {
  const nodes = { RPC_URL_8453: 'http://node', RPC_URL_1: 'http://node' }
  const [base] = readDeploymentFile(join(ROOT, 'contracts/deploy/example.json'), nodes)
  const { windows } = base!.deployment
  const { minAuction, firm, pickup, execution, grace } = DEVNET_WINDOWS
  const rows = {
    'shortest auction': [windows.minAuctionDuration, minAuction],
    '`FIRM_SECONDS`': [windows.firmSeconds, firm],
    '`PICKUP_WINDOW`': [windows.pickupWindow, pickup],
    '`EXECUTION_WINDOW`': [windows.executionWindow, execution],
    '`SETTLEMENT_GRACE`': [windows.settlementGrace, grace],
  }
  for (const [name, seconds] of Object.entries(rows)) {
    const [, ...cells] = read('docs/protocol.md').split(`| ${name} |`)
    const shown = cells[0]?.split('|').map((cell) => Number.parseInt(cell.replace(',', ''), 10))
    expect([name, shown?.slice(0, 2)]).toEqual([name, seconds])
  }
})

test('the table of modules has the folders that check:imports knows, in its order', () => {
  const [table = ''] = /^\| module \|.*?(?=\n\n)/ms.exec(read('docs/architecture.md')) ?? []
  const folders = named(read('.dependency-cruiser.js'), /^ {2}'([^/']+)[^']*': '/gm)
  expect(named(table, /^\| `([^`]+)` \|/gm)).toEqual([...new Set(folders)])
  expect(folders.length).toBeGreaterThan(50)
})

test('--help describes every variable of the roles', () => {
  const help = read('services/main.ts')
  const variables = filesIn('services/config', /^(read\w*Configuration)\.ts$/).flatMap((path) =>
    named(read(path), /^ {2}([A-Z][A-Z0-9_]+):/gm),
  )
  expect(variables.length).toBeGreaterThan(40)
  for (const variable of variables) expect(help).toContain(variable)
})

test('--help names every field of the chains file', () => {
  const schema = /chainFields = z\.strictObject\(\{\n(.*?)^\}\)/ms.exec(
    read('services/config/chainConfig.ts'),
  )![1]!
  const fields = named(schema, /^ {2}(\w+):/gm)
  expect(fields.length).toBeGreaterThan(10)
  // Those two may be given in `rpcUrls` instead.
  for (const field of fields.filter((name) => !/^(requestsPerSecond|operators)$/.test(name)))
    expect(read('services/main.ts')).toContain(`"${field}"`)
})

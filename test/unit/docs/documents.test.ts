import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { expect, test } from 'vitest'

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

test('the documents’ npm scripts exist', () => {
  const scripts = ['package.json', 'sdk/package.json'].flatMap((path) =>
    Object.keys(JSON.parse(read(path)).scripts),
  )
  const used = DOCUMENTS.flatMap((path) => named(read(path), /npm run (?:-s )?([a-z][\w:]*)/g))
  expect(scripts).toEqual(expect.arrayContaining(used))
})

test('the documents’ error codes and variables occur in the sources', () => {
  const folders = ['api', 'contracts/deploy', 'contracts/src', 'core', 'devnet', 'examples', 'sdk']
  const sources = [...folders, 'services', 'src', 'test/run', 'tools']
    .flatMap((folder) => filesIn(folder, /\.(ts|sol|graphql|ya?ml)$/))
    .map(read)
    .join('\n')
  const words = new Set(sources.match(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g))
  for (const document of DOCUMENTS)
    for (const code of named(read(document), /`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?:=1)?`/g))
      expect(words.has(code), `${document}: ${code}`).toBe(true)
})

test('--help describes every variable of the roles', () => {
  const help = read('services/main.ts')
  const variables = filesIn('services/config', /^(read\w*Configuration)\.ts$/).flatMap((path) =>
    named(read(path), /^ {2}([A-Z][A-Z0-9_]+):/gm),
  )
  expect(variables.length).toBeGreaterThan(40)
  for (const variable of variables) expect(help).toContain(variable)
})

import { execFile, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  PACKED,
  PACKED_INDEX,
  PACKED_SPECIFIERS,
  type PackedIndex,
  readPrebundledPackages,
} from '../../../services/process/modules/prebundledPackages.ts'

const QUICK = fileURLToPath(
  new URL('../../../services/process/modules/speedUpModuleLoading.ts', import.meta.url),
)
const ROOT = new URL('../../../', import.meta.url)
const INDEXER = new URL('services/roles/runIndexer.ts', ROOT).href
const PONDER_MODULES = new URL('services/indexer/ponder/replacePonderModules.ts', ROOT).href

/**
 * A package of ES modules with a folder that isn't, one of CommonJS with an ES module, one that says nothing,
 * and one that is there twice.
 */
const FILES = {
  'modern/package.json': '{ "type": "module", "exports": { ".": "./index.js" } }',
  'modern/index.js': `export { default as old } from './old/deep/index.js'
    export { own } from './lib/own.js'
    export { inner } from './node_modules/silent/index.js'
    export { twin } from 'twin'
    export { twin as ownTwin } from './lib/twin.js'`,
  'modern/lib/twin.js': `export { twin } from 'twin'`,
  'modern/lib/node_modules/twin/index.js': 'exports.twin = 2',
  'twin/index.js': 'exports.twin = 1',
  'modern/lib/own.js': `export const own = import.meta.url.endsWith('/lib/own.js')`,
  'modern/old/package.json': '{ "type": "commonjs" }',
  'modern/old/deep/index.js': 'module.exports = { kind: "commonjs" }',
  'modern/node_modules/silent/index.js': 'exports.inner = "commonjs"',
  '@of/classic/package.json': '{ "exports": { ".": "./index.mjs" } }',
  '@of/classic/index.mjs': `export { default as classic } from './index.js'`,
  '@of/classic/index.js': 'module.exports = { kind: "commonjs" }',
}

let directory: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'cairn-modules-'))
  for (const [path, text] of Object.entries(FILES)) {
    const file = join(directory, 'node_modules', path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
  }
})

afterAll(() => rm(directory, { recursive: true, force: true }))

test('a file is taken for the kind of module that Node takes it for', async () => {
  const program = `import * as modern from 'modern'
    import { classic } from '@of/classic'
    console.log(JSON.stringify({ ...modern, classic }))`
  const quick = await run(program, ['--import', QUICK])
  expect(JSON.parse(quick)).toEqual({
    own: true,
    old: { kind: 'commonjs' },
    inner: 'commonjs',
    twin: 1,
    ownTwin: 2,
    classic: { kind: 'commonjs' },
  })
  expect(quick).toBe(await run(program, []))
})

test('a missing file is reported as missing', async () => {
  await writeFile(join(directory, 'node_modules/modern/torn.js'), `import './nowhere.js'`)
  const torn = pathToFileURL(join(directory, 'node_modules/modern/torn.js')).href
  await expect(run(`await import('${torn}')`, ['--import', QUICK])).rejects.toThrow(/nowhere\.js/)
})

test('the indexer starts without loading a GraphQL server or all of Ponder', async () => {
  const loaded = await packagesOf(`await import('${INDEXER}')`)
  expect(loaded).toEqual(expect.arrayContaining(['viem', 'drizzle-orm', 'pg']))
  expect(loaded.join(' ')).not.toMatch(/graphql|hono|prom-client/)
})

test('a Ponder starts, and runs our files, without a compiler or GraphQL', async () => {
  const loaded = await packagesOf(`const { PONDER } = await import('${PONDER_MODULES}')
     await import(new URL('bin/commands/start.js', PONDER).href)
     process.env.CAIRN_CHAIN = '{}'
     await import('${new URL('ponder.config.ts', ROOT)}')
     await import('${new URL('src/indexing/handlers.ts', ROOT)}')`)
  expect(loaded).toEqual(expect.arrayContaining(['ponder', 'drizzle-orm', 'hono', 'prom-client']))
  expect(loaded.join(' ')).not.toMatch(/vite|rollup|rolldown|esbuild|graphql|commander/)
})

describe('of a packed package', () => {
  test.each(PACKED_SPECIFIERS)('%s has all of its exports', async (specifier) => {
    const entry = packedIndex().find((packed) => packed.specifier === specifier)
    const [name = '', importer] = specifier.split('>').reverse()
    const packed = import.meta.resolve(
      name,
      importer ? import.meta.resolve(importer) : import.meta.url,
    )
    expect(packed).toBe(new URL(entry?.file ?? '', PACKED).href)
    const original = await import(new URL(`node_modules/${entry?.source}`, ROOT).href)
    expect(Object.keys(await import(packed))).toEqual(Object.keys(original))
  })

  test('the project and its packages load the file, until something else is installed', async () => {
    const quick = await projectWith({
      'node_modules/.package-lock.json': '',
      'node_modules/large/package.json': '{ "type": "module", "exports": { ".": "./index.js" } }',
      'node_modules/large/index.js': `export const kind = 'original'`,
      'node_modules/user/index.mjs': `export { kind } from 'large'`,
      'node_modules/user/package.json': '{ "exports": { ".": "./index.mjs" } }',
      'node_modules/.packed/large/index.mjs': `export const kind = 'packed'`,
      'node_modules/.packed/index.json': JSON.stringify([
        { specifier: 'large', source: 'large/index.js', file: 'large/index.mjs' },
      ]),
      'program.mjs': `import { kind } from 'large'
        import { kind as seen } from 'user'
        console.log(kind, seen)`,
    })
    const root = join(directory, 'project')
    const program = join(root, 'program.mjs')
    expect(await output(program, ['--import', quick])).toBe('packed packed\n')
    expect(await output(program, [])).toBe('original original\n')
    const later = Date.now() / 1_000 + 60
    await utimes(join(root, 'node_modules/.package-lock.json'), later, later)
    expect(await output(program, ['--import', quick])).toBe('original original\n')
    await rm(join(root, 'node_modules/.packed'), { recursive: true })
    expect(await output(program, ['--import', quick])).toBe('original original\n')
  })

  function packedIndex(): PackedIndex {
    if (readPrebundledPackages().size === 0)
      throw new Error('nothing is packed since the last installation: run npm install')
    return JSON.parse(readFileSync(PACKED_INDEX, 'utf8'))
  }

  /** Writes a project of these files that loads them our way. @returns the file that its programs import first */
  async function projectWith(files: Record<string, string>): Promise<string> {
    const root = join(directory, 'project')
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(root, path)), { recursive: true })
      await writeFile(join(root, path), text)
    }
    await mkdir(join(root, 'services/process/modules'), { recursive: true })
    for (const name of ['speedUpModuleLoading.ts', 'prebundledPackages.ts'])
      await copyFile(join(dirname(QUICK), name), join(root, 'services/process/modules', name))
    return join(root, 'services/process/modules/speedUpModuleLoading.ts')
  }
})

/** Names of the packages that a program loads. */
async function packagesOf(program: string): Promise<string[]> {
  const loaded = await run(
    `import { registerHooks } from 'node:module'
     const names = new Set()
     registerHooks({ load(url, context, next) {
       names.add(/.*\\/node_modules\\/(?:\\.packed\\/)?((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1])
       return next(url, context)
     } })
     ${program}
     console.log([...names].join(' '))
     process.exit()`,
    ['--import', QUICK],
  )
  return loaded.trim().split(' ')
}

describe('what others have compiled', () => {
  const MAIN = 'services/main.ts'
  const commandOf = (line: string) => [...line.split(' ').slice(1), '--help']
  const scripts: Record<string, string> = JSON.parse(readFileSync('package.json', 'utf8')).scripts

  test.each([
    ['the API', [MAIN, 'api']],
    ...['replay', 'recover', 'verify'].flatMap((tool): [string, string[]][] => [
      [`npm run ${tool}`, commandOf(scripts[tool] ?? '')],
      [`cairn-${tool}`, [`tools/${tool}/cairn-${tool}.js`, '--help']],
    ]),
  ])('is used by %s', async (_, args) => {
    expect(await compiledBy(args, {})).toMatch(/reading cache from .*cache.compiled/)
  })

  test('is not used by a process with the root secret', async () => {
    const secret = { ENCLAVE_ROOT_FILE: join(directory, 'root') }
    expect(await compiledBy([MAIN, 'enclave'], secret)).not.toContain('reading cache')
    expect(await compiledBy(commandOf(scripts.recover ?? ''), secret)).not.toContain(
      'reading cache',
    )
  })

  test('is also what somebody had compiled who was killed', async () => {
    const cache = join(directory, 'kept')
    const program = join(directory, 'long.mjs')
    await writeFile(program, `import { own } from 'modern'; setInterval(() => own, 1_000)`)
    const env = { ...process.env, NODE_COMPILE_CACHE: cache }
    const child = spawn(process.execPath, ['--no-warnings', '--import', QUICK, program], { env })
    const kept = async () => {
      const entries = await readdir(cache, { recursive: true, withFileTypes: true }).catch(() => [])
      return entries.filter((entry) => entry.isFile()).length
    }
    try {
      await expect.poll(kept, { timeout: 30_000 }).toBeGreaterThan(0)
    } finally {
      child.kill('SIGKILL')
    }
  })

  /** What Node says of its cache while a program starts, and ends for want of a configuration. */
  async function compiledBy(args: string[], env: Record<string, string>): Promise<string> {
    const said = await promisify(execFile)(process.execPath, args, {
      env: { NODE_DEBUG_NATIVE: 'COMPILE_CACHE', ...env },
      maxBuffer: 2 ** 27,
    }).catch((error: { stdout: string; stderr: string }) => error)
    return `${said.stdout}${said.stderr}`
  }
})

async function run(program: string, flags: string[]): Promise<string> {
  const file = join(directory, 'program.mjs')
  await writeFile(file, program)
  return output(file, flags)
}

async function output(file: string, flags: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--no-warnings', ...flags, file])
  return stdout
}

import { spawn, spawnSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hashDeclarations, REFERENCE } from '../../../sdk/build/hashDeclarations.ts'
import { downloadNode } from '../../rig/downloadNode.ts'
import { findChromium } from '../../rig/findChromium.ts'
import { measureBundle } from './measureBundle.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const CONSUMER = fileURLToPath(new URL('consumer/consumer.ts', import.meta.url))
const NOWHERE = 'http://127.0.0.1:9'
const OLDER_NODES = ['20.20.2', '22.23.3']

/** What `consume` says wherever it runs. */
const SAID =
  /^true INTENT_EXPIRED 33 512 740 TACHYON_API_UNREACHABLE VIEWING_KEY_MISSING UNSUPPORTED_CHAIN MALFORMED_JSON true$/

let folder: string
let publicKey: string

function run(command: string, parameters: string[], cwd = folder): string {
  const { status, stdout, stderr } = spawnSync(command, parameters, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} ${parameters.join(' ')}: ${stdout}\n${stderr}`)
  return stdout
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cairn-sdk-'))
  publicKey = privateKeyToAccount(`0x${'33'.repeat(32)}`).publicKey
  const [packed] = JSON.parse(run('npm', ['pack', '--json', join(ROOT, 'sdk')]))
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}')
  const { version } = JSON.parse(readFileSync(join(ROOT, 'node_modules/viem/package.json'), 'utf8'))
  const quiet = ['--no-audit', '--no-fund', '--prefer-offline']
  run('npm', ['install', ...quiet, join(folder, packed.filename), `viem@${version}`])
  mkdirSync(join(folder, 'program'))
  cpSync(CONSUMER, join(folder, 'program/consumer.ts'))
}, 300_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('the package contains only itself and depends on viem alone', () => {
  const manifest = JSON.parse(
    readFileSync(join(folder, 'node_modules/@cairn/sdk/package.json'), 'utf8'),
  )
  expect([manifest.dependencies, Object.keys(manifest.peerDependencies)]).toEqual([
    undefined,
    ['viem'],
  ])
  expect(readdirSync(join(folder, 'node_modules/@cairn/sdk')).sort()).toEqual([
    'LICENSE',
    'README.md',
    'dist',
    'package.json',
  ])
  const dist = join(folder, 'node_modules/@cairn/sdk/dist')
  const code = ['index.js', 'verify.js']
    .map((name) => readFileSync(join(dist, name), 'utf8'))
    .join('\n')
  const imported = [...code.matchAll(/^(?:import|export) .*from "([^"]+)"/gm)].map(
    ([, name]) => name,
  )
  expect(new Set(imported)).toEqual(
    new Set(['viem', 'viem/accounts', 'viem/actions', './index.js']),
  )
  expect(code).not.toMatch(/\brequire\(|node:|\bBuffer\.|\bprocess\./)
})

test('the reference in docs/sdk matches these declarations', () => {
  const digest = hashDeclarations(join(ROOT, 'sdk/dist/types'))
  for (const name of ['index.md', 'verify.md']) {
    const [first] = readFileSync(join(REFERENCE, name), 'utf8').split('\n')
    // It isn't: npm run reference --workspace @cairn/sdk
    expect(first).toContain(digest)
  }
  // Types inferred from zod schemas have their docstrings too.
  const reference = readFileSync(join(REFERENCE, 'index.md'), 'utf8')
  expect(reference).toContain('| Unix seconds: when the auction ends. |')
})

test('a strict program compiles with its libraries checked, by TypeScript 7', () => {
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: {
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        target: 'ES2022',
        module: 'NodeNext',
        moduleResolution: 'NodeNext',
        types: [],
        lib: ['ES2022', 'DOM'],
        outDir: 'out',
        rootDir: 'program',
        skipLibCheck: false,
        verbatimModuleSyntax: true,
        isolatedModules: true,
      },
      include: ['program'],
    }),
  )
  const options = ['-p', '.', '--checkers', '1']
  run(process.execPath, [join(ROOT, 'node_modules/typescript-native/bin/tsc'), ...options])
  const call = `import { consume } from './out/consumer.js'\nconsole.log(await consume(process.argv[2], process.argv[3]))\n`
  writeFileSync(join(folder, 'run.js'), call)
})

test('the programs in the documents compile, by TypeScript 5', () => {
  const program = join(folder, 'documents')
  mkdirSync(program)
  cpSync(join(CONSUMER, '../documents.d.ts'), join(program, 'documents.d.ts'))
  const guides = ['sender', 'orders', 'recipients', 'proofs', 'webhooks']
  for (const path of ['sdk/README.md', ...guides.map((name) => `docs/${name}.md`)]) {
    const blocks = [...readFileSync(join(ROOT, path), 'utf8').matchAll(/^```ts\n(.*?)^```/gms)]
    expect(blocks, path).not.toEqual([])
    for (const [at, [, code]] of blocks.entries())
      writeFileSync(join(program, `${path.replaceAll('/', '-')}-${at}.ts`), `${code}export {}\n`)
  }
  const compilerOptions = {
    ...{ strict: true, skipLibCheck: true, noEmit: true, types: [], target: 'ES2022' },
    ...{ module: 'NodeNext', moduleResolution: 'NodeNext', lib: ['ES2022', 'DOM', 'DOM.Iterable'] },
  }
  writeFileSync(join(program, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
  run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', 'documents'])
})

test.each([...OLDER_NODES, process.versions.node])('it runs on Node %s', (version) => {
  const node = version === process.versions.node ? process.execPath : downloadNode(version)
  expect(run(node, ['--version']).trim()).toBe(`v${version}`)
  expect(run(node, ['run.js', publicKey, NOWHERE]).trim()).toMatch(SAID)
})

test('it runs in Chromium', async ({ skip }) => {
  const chromium = findChromium()
  if (chromium === null) return skip('no Chromium here, and no apt to get it by')
  const build = await rolldown({ input: join(folder, 'out/consumer.js'), platform: 'browser' })
  const { output } = await build.generate({ format: 'esm', codeSplitting: false })
  const page = `<!doctype html><body>…<script type="module">
    import { consume } from './consumer.js'
    document.body.textContent = await consume('${publicKey}', '${NOWHERE}').catch(String)
  </script>`
  const server = createServer(({ url }, response) => {
    const isCode = url === '/consumer.js'
    response.setHeader('content-type', isCode ? 'text/javascript' : 'text/html')
    response.end(isCode ? output[0].code : page)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking']
  const more = ['--disable-component-update', '--disable-sync', `--user-data-dir=${folder}/profile`]
  const { promise, resolve } = Promise.withResolvers<string>()
  const browser = spawn(chromium, [
    ...[...flags, ...more, '--virtual-time-budget=20000', '--dump-dom'],
    `http://127.0.0.1:${port}/`,
  ])
  let shown = ''
  browser.stdout.on('data', (text) => {
    shown += text
  })
  browser.on('close', () => resolve(shown))
  const body = /<body>(.*?)<\/body>/s.exec(await promise)?.[1]?.trim()
  server.close()
  expect(body).toMatch(SAID)
})

test('it has at most 60 kB, gzipped and without viem, and tree-shakes', async () => {
  const of = (name: string, code: string) => {
    const path = join(folder, `${name}.ts`)
    writeFileSync(path, code)
    return measureBundle(join(folder, `${name}.min.js`), path)
  }
  const sdk = join(ROOT, 'sdk/index.ts')
  const sizes = {
    all: await measureBundle(join(folder, 'all.min.js')),
    client: await of('client', `export { createCairnClient } from '${sdk}'`),
    relayer: await of('relayer', `export { createRelayerClient } from '${sdk}'`),
    call: await of('call', `export { createIntentCall } from '${sdk}'`),
    verify: await of('verify', `export * from '${join(ROOT, 'sdk/verify/index.ts')}'`),
    webhook: await of('webhook', `export { verifyWebhook } from '${sdk}'`),
  }
  console.log('bytes, minified and gzipped:', sizes)
  expect(sizes.all).toBeLessThan(60_000)
  expect(sizes.verify).toBeLessThan(60_000)
  expect(sizes.client).toBeLessThanOrEqual(sizes.all)
  expect(sizes.relayer).toBeLessThan(20_000)
  expect(sizes.call).toBeLessThan(10_000)
  expect(sizes.webhook).toBeLessThan(6_000)
})

/** `npm run reference --workspace @cairn/sdk`: builds the package and generates docs/sdk from its docstrings. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Application } from 'typedoc'
import { hashDeclarations, REFERENCE } from './hashDeclarations.ts'

const SDK = fileURLToPath(new URL('../', import.meta.url))
const TYPES = join(SDK, 'dist/types')

/** The pages, by TypeDoc's names. */
const PAGES = { index: '@cairn/sdk', verify: '@cairn/sdk/verify' }

const { status } = spawnSync(process.execPath, ['build/main.ts'], { cwd: SDK, stdio: 'inherit' })
if (status !== 0) process.exit(1)

// TypeDoc empties its output folder, so never give it one of the project's.
const folder = mkdtempSync(join(tmpdir(), 'cairn-reference-'))
try {
  await generate(folder)
  mkdirSync(REFERENCE, { recursive: true })
  const made = `<!-- Generated: npm run reference --workspace @cairn/sdk. Of declarations ${hashDeclarations(TYPES)} -->\n\n`
  for (const [name, title] of Object.entries(PAGES)) {
    const text = readFileSync(join(folder, `${name}.md`), 'utf8')
    writeFileSync(join(REFERENCE, `${name}.md`), made + text.replace(/^# .*$/m, `# ${title}`))
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function generate(out: string): Promise<void> {
  const app = await Application.bootstrapWithPlugins({
    plugin: ['typedoc-plugin-markdown'],
    out,
    logLevel: 'Error',
    validation: false,
    entryPoints: ['sdk/index.d.ts', 'sdk/verify/index.d.ts'].map((path) => join(TYPES, path)),
    tsconfig: join(SDK, 'build/reference.json'),
    readme: 'none',
    router: 'module',
    disableSources: true,
    excludeExternals: true,
    hideBreadcrumbs: true,
    hidePageHeader: true,
    useCodeBlocks: true,
    parametersFormat: 'table',
    typeAliasPropertiesFormat: 'table',
    classPropertiesFormat: 'table',
    sort: ['source-order'],
    groupOrder: ['Functions', 'Type Aliases', 'Classes'],
  } as never)
  const project = await app.convert()
  if (project === undefined) throw new Error('the declarations can’t be read')
  await app.generateOutputs(project)
}

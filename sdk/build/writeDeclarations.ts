import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { writeOutTypes } from './writeOutTypes.ts'

const FOLDER = fileURLToPath(new URL('../', import.meta.url))
const ROOT = resolve(FOLDER, '..')

/** Modules whose types zod computes. Users of the package don't have zod, so the types are written out. */
const COMPUTED = /Responses\.ts$/

/**
 * Writes the declarations of everything reachable from the SDK's entries, in the source tree's folders.
 *
 * @throws with the compiler's messages when the sources don't compile without Node's types
 */
export async function writeDeclarations(target: string): Promise<void> {
  const config = ts.getParsedCommandLineOfConfigFile(
    join(FOLDER, 'tsconfig.json'),
    { outDir: target },
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: fail },
  )
  if (config === undefined) throw new Error('sdk/tsconfig.json can’t be read')
  const program = ts.createProgram(config.fileNames, config.options)
  for (const problem of ts.getPreEmitDiagnostics(program)) fail(problem)
  const written = new Map<string, string>()
  program.emit(undefined, (path, text, _, __, sources) => {
    const source = sources?.[0]
    if (source === undefined) return
    const own = COMPUTED.test(source.fileName) ? writeOutTypes(program, source) : text
    written.set(path, own.replace(/(from |import\()(['"])(\.[^'"]*)\.ts\2/g, '$1$2$3.js$2'))
  })
  const entries = ['sdk/index.d.ts', 'sdk/verify/index.d.ts'].map((path) => join(target, path))
  for (const path of entries.flatMap((entry) => [...findReachable(entry, written)])) {
    const text = written.get(path) as string
    if (/from ['"](?!viem|\.)/.test(text))
      throw new Error(`${relative(ROOT, path)} needs types the package’s users don’t have`)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
}

/** The files `entry` imports, itself included. */
function findReachable(entry: string, files: ReadonlyMap<string, string>): Set<string> {
  const found = new Set<string>()
  const visit = (path: string) => {
    const text = files.get(path)
    if (text === undefined || found.has(path)) return
    found.add(path)
    for (const [, name = ''] of text.matchAll(/(?:from |import\()['"](\.[^'"]*)\.js['"]/g))
      visit(resolve(dirname(path), `${name}.d.ts`))
  }
  visit(entry)
  return found
}

function fail(problem: ts.Diagnostic): never {
  const where = problem.file ? `${relative(ROOT, problem.file.fileName)}: ` : ''
  throw new Error(where + ts.flattenDiagnosticMessageText(problem.messageText, '\n'))
}

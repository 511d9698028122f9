import { createHash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { importClosure } from './importClosure.ts'
import type { Mutation } from './mutation.ts'
import type { Verdict } from './trial.ts'

type Killed = Extract<Verdict, { outcome: 'killed' }>
type Remembered = Record<string, Killed & { content: string }>

const projectRoot = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const path = join(projectRoot, 'contracts/cache/mutants.json')

/**
 * Kills of earlier runs. One counts for as long as the test file that made it, everything that this
 * imports, and the mutation are what they were: the same test would fail the same way.
 *
 * @param suite Its name: a kill by all tests says nothing about the campaign alone.
 */
export async function rememberedKills(
  suite: string,
): Promise<(of: Mutation) => Promise<Killed | undefined>> {
  const all = await readAll()
  const contents = new Map<string, Promise<string | undefined>>()
  return async (mutation) => {
    const kill = all[keyOf(suite, mutation)]
    if (kill === undefined) return undefined
    const known = contents.get(kill.in)
    const content = known ?? hashOfClosure(projectRoot, kill.in).catch(() => undefined)
    contents.set(kill.in, content)
    return kill.content === (await content) ? kill : undefined
  }
}

/**
 * Remembers a kill.
 *
 * @param root Where it happened: the working tree may have changed since.
 */
export async function rememberKill(
  suite: string,
  mutation: Mutation,
  kill: Killed,
  root: string,
): Promise<void> {
  if (kill.in === '') return
  const content = await hashOfClosure(root, kill.in)
  // Read anew: another run may have written.
  const all = await readAll()
  all[keyOf(suite, mutation)] = { ...kill, content }
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, JSON.stringify(all, null, 1))
}

async function readAll(): Promise<Remembered> {
  return JSON.parse(await readFile(path, 'utf8').catch(() => '{}'))
}

function keyOf(suite: string, mutation: Mutation): string {
  return createHash('sha256')
    .update(JSON.stringify([suite, mutation]))
    .digest('hex')
}

async function hashOfClosure(root: string, file: string): Promise<string> {
  const hash = createHash('sha256')
  const closure = await importClosure(root, file)
  for (const [name, source] of [...closure].sort()) hash.update(`${name}\0${source}\0`)
  return hash.digest('hex')
}

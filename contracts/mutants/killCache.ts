import { createHash } from 'node:crypto'
import { appendFile, mkdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Mutation } from './mutation.ts'
import { readImportClosure } from './readImportClosure.ts'
import type { Verdict } from './tryMutation.ts'

type Killed = Extract<Verdict, { outcome: 'killed' }>
type Remembered = { key: string; kill: Killed; content: string }

const projectRoot = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const path = join(projectRoot, 'contracts/cache/mutants.jsonl')

/**
 * Kills from earlier runs, including interrupted ones. A kill counts while the killing test file, everything it imports
 * and the mutation are unchanged: the same test would fail the same way.
 *
 * @param suite the suite's name: a kill by all tests says nothing about the campaign alone
 */
export async function readCachedKills(
  suite: string,
): Promise<(of: Mutation) => Promise<Killed | undefined>> {
  const remembered = new Map((await readAll()).map((one) => [one.key, one]))
  const contents = new Map<string, Promise<string | undefined>>()
  return async (mutation) => {
    const { kill, content } = remembered.get(keyOf(suite, mutation)) ?? {}
    if (kill === undefined) return undefined
    const known = contents.get(kill.in)
    const current = known ?? hashOfClosure(projectRoot, kill.in).catch(() => undefined)
    contents.set(kill.in, current)
    return content === (await current) ? kill : undefined
  }
}

/**
 * Records a kill as one line, so that parallel runs don't overwrite each other.
 *
 * @param root the copy in which it happened: the working tree may have changed since
 */
export async function cacheKill(
  suite: string,
  mutation: Mutation,
  kill: Killed,
  root: string,
): Promise<void> {
  if (kill.in === '') return
  const content = await hashOfClosure(root, kill.in)
  const remembered: Remembered = { key: keyOf(suite, mutation), kill, content }
  await mkdir(dirname(path), { recursive: true })
  await appendFile(path, `\n${JSON.stringify(remembered)}`)
}

async function readAll(): Promise<Remembered[]> {
  const lines = (await readFile(path, 'utf8').catch(() => '')).split('\n')
  return lines.flatMap((line) => {
    try {
      return [JSON.parse(line) as Remembered]
    } catch {
      // Empty, or truncated when the machine stopped.
      return []
    }
  })
}

function keyOf(suite: string, mutation: Mutation): string {
  return createHash('sha256')
    .update(JSON.stringify([suite, mutation]))
    .digest('hex')
}

async function hashOfClosure(root: string, file: string): Promise<string> {
  const hash = createHash('sha256')
  const closure = await readImportClosure(root, file)
  for (const [name, source] of [...closure].sort()) hash.update(`${name}\0${source}\0`)
  return hash.digest('hex')
}

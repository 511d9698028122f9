import { createHash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { importClosure } from './importClosure.ts'
import type { Mutation } from './mutation.ts'
import type { Verdict } from './trial.ts'

type Killed = Extract<Verdict, { outcome: 'killed' }>
type Remembered = Record<string, Killed & { content: string }>

const contracts = dirname(dirname(fileURLToPath(import.meta.url)))
const path = join(contracts, 'cache/mutants.json')

/**
 * Kills of earlier runs. One counts for as long as the test file that made it, everything that this
 * imports, and the mutation are what they were: the same test would fail the same way.
 *
 * @param suite Its name: a kill by all tests says nothing about the campaign alone.
 */
export async function rememberedKills(suite: string): Promise<{
  of: (mutation: Mutation) => Promise<Killed | undefined>
  add: (mutation: Mutation, verdict: Killed) => Promise<void>
}> {
  const all: Remembered = JSON.parse(await readFile(path, 'utf8').catch(() => '{}'))
  const contents = new Map<string, Promise<string>>()
  const contentOf = (file: string) => {
    const known = contents.get(file) ?? hashOfClosure(file)
    contents.set(file, known)
    return known
  }
  return {
    of: async (mutation) => {
      const kill = all[keyOf(suite, mutation)]
      if (kill === undefined) return undefined
      const content = await contentOf(kill.in).catch(() => undefined)
      return kill.content === content ? kill : undefined
    },
    add: async (mutation, verdict) => {
      if (verdict.in === '') return
      all[keyOf(suite, mutation)] = { ...verdict, content: await contentOf(verdict.in) }
      await mkdir(dirname(path), { recursive: true })
      await writeFile(path, JSON.stringify(all, null, 1))
    },
  }
}

function keyOf(suite: string, mutation: Mutation): string {
  return createHash('sha256')
    .update(JSON.stringify([suite, mutation]))
    .digest('hex')
}

async function hashOfClosure(file: string): Promise<string> {
  const hash = createHash('sha256')
  const closure = await importClosure(dirname(contracts), file)
  for (const [name, source] of [...closure].sort()) hash.update(`${name}\0${source}\0`)
  return hash.digest('hex')
}

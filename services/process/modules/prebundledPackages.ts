import { readFileSync, statSync } from 'node:fs'

const MODULES = new URL('../../../node_modules/', import.meta.url)

/** Folder of the packed packages. Only an installation writes it, so it is as safe as the packages. */
export const PACKED = new URL('.packed/', MODULES)
export const PACKED_INDEX = new URL('index.json', PACKED)

/** Specifiers of packed packages; `ponder>` marks Ponder's own version. */
export const PACKED_SPECIFIERS = [
  'viem',
  'viem/accounts',
  'viem/chains',
  'viem/utils',
  'kysely',
  'zod',
  'zod/mini',
  'drizzle-orm',
  'drizzle-orm/casing',
  'drizzle-orm/node-postgres',
  'drizzle-orm/pglite',
  'drizzle-orm/pg-core',
  'drizzle-orm/pg-core/columns/all',
  'drizzle-orm/pg-proxy',
  'graphql-yoga',
  'ponder>kysely',
]

/** By specifier: the file it resolves to, below `node_modules`, and the packed one, below `PACKED`. */
export type PackedIndex = { specifier: string; source: string; file: string }[]

/**
 * URLs of the packed files, by specifier and by the URL of the replaced file. Empty if there are none, or a package was
 * installed since.
 */
export function readPrebundledPackages(): Map<string, string> {
  try {
    if (mtime(PACKED_INDEX) < mtime(new URL('.package-lock.json', MODULES))) return new Map()
    const index: PackedIndex = JSON.parse(readFileSync(PACKED_INDEX, 'utf8'))
    return new Map(
      index.flatMap(({ specifier, source, file }) => {
        const { href } = new URL(file, PACKED)
        return [
          [specifier, href],
          [new URL(source, MODULES).href, href],
        ] as const
      }),
    )
  } catch {
    return new Map()
  }
}

function mtime(file: URL): number {
  return statSync(file).mtimeMs
}

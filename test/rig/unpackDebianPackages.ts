import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/debian/', import.meta.url))

/**
 * Unpacks Debian packages without installing them: no service starts and the system stays unchanged. Downloads each
 * package once.
 *
 * @returns their root directory; null on a machine without apt
 */
export function unpackDebianPackages(...names: string[]): string | null {
  const root = join(CACHE, names.join('+'))
  if (existsSync(root)) return root
  if (!runs('apt-get', ['--version'])) return null
  mkdirSync(CACHE, { recursive: true })
  const folder = mkdtempSync(join(CACHE, 'fetching-'))
  try {
    const download = () => runs('apt-get', ['download', ...names], folder)
    // apt knows no package names until its first update.
    if (!download() && !(runs('apt-get', ['update']) && download()))
      throw new Error(`apt-get can’t download ${names.join(', ')}: run apt-get update as root`)
    const files = join(folder, 'files')
    for (const name of readdirSync(folder).filter((one) => one.endsWith('.deb'))) {
      if (!runs('dpkg-deb', ['-x', join(folder, name), files]))
        throw new Error(`${name} can’t be unpacked`)
    }
    if (!existsSync(root)) renameSync(files, root)
    return root
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function runs(command: string, parameters: string[], cwd?: string): boolean {
  return spawnSync(command, parameters, { cwd, stdio: 'ignore' }).status === 0
}

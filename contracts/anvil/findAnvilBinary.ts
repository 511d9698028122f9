import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { arch, platform } from 'node:os'
import { dirname, join } from 'node:path'

/**
 * Path of anvil itself. The npm package's own `anvil` command is a wrapper that keeps signals and
 * the death of its parent from the program.
 */
export function findAnvilBinary(): string {
  const system = platform() === 'win32' ? 'win32' : platform()
  const machine = arch() === 'x64' ? 'amd64' : arch()
  const name = `@foundry-rs/anvil-${system}-${machine}`
  const program = platform() === 'win32' ? 'anvil.exe' : 'anvil'
  const require = createRequire(import.meta.url)
  for (const from of [require, createRequire(require.resolve('@foundry-rs/anvil/package.json'))]) {
    try {
      const path = join(dirname(from.resolve(`${name}/package.json`)), 'bin', program)
      if (existsSync(path)) return path
    } catch {
      // Not installed from here; perhaps beside the wrapper.
    }
  }
  throw new Error(
    `anvil for ${system}-${machine} is not installed (npm package ${name}). Run npm install.`,
  )
}

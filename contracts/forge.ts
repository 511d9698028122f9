import { type SpawnOptions, spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const projectRoot = dirname(dirname(fileURLToPath(import.meta.url)))

/** What forge printed and how it ended. */
export type ForgeResult = { exitCode: number; output: string }

/**
 * Runs the platform's own forge binary. The npm wrapper is passed over because it always exits 0,
 * which would turn every failing contract test green.
 *
 * @param args forge's arguments.
 * @param options `root`: where foundry.toml is (the project by default); `echo`: pass output
 *   through instead of collecting it; `env`: added to the environment.
 * @throws if there is no forge for this platform, or it can't be started. A failing forge doesn't
 *   throw: look at `exitCode`.
 */
export async function forge(
  args: string[],
  options: { root?: string; echo?: boolean; env?: Record<string, string> } = {},
): Promise<ForgeResult> {
  const root = options.root ?? projectRoot
  const spawnOptions: SpawnOptions = {
    cwd: root,
    env: { ...environmentWithOurNodeFirst(root), ...options.env },
    stdio: options.echo ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'],
  }
  return await new Promise((resolve, reject) => {
    const child = spawn(forgeBinary(), args, spawnOptions)
    let output = ''
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
    child.stderr?.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
    child.once('error', reject)
    child.once('close', (code) => resolve({ exitCode: code ?? 1, output }))
  })
}

/** Path of the binary inside `@foundry-rs/forge-<platform>-<architecture>`. */
function forgeBinary(): string {
  const architecture = { x64: 'amd64', arm64: 'arm64' }[process.arch as string] ?? process.arch
  const name = `@foundry-rs/forge-${process.platform}-${architecture}`
  try {
    const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`)
    return join(dirname(manifest), 'bin', process.platform === 'win32' ? 'forge.exe' : 'forge')
  } catch (cause) {
    throw new Error(
      `forge for this platform is not installed: run npm install (looked for ${name})`,
      { cause },
    )
  }
}

/** The compiler shim starts with `#!/usr/bin/env node`: let that be the Node we run on. */
function environmentWithOurNodeFirst(root: string): NodeJS.ProcessEnv {
  const path = [dirname(process.execPath), process.env.PATH ?? ''].join(delimiter)
  return { ...process.env, PATH: path, FOUNDRY_CONFIG: join(root, 'foundry.toml') }
}

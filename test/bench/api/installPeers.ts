import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Installs what only this bench needs, each peer by its own lock file, unless it is there. */
export function installPeers(): void {
  for (const peer of ['ponder', 'postgraphile']) {
    const directory = fileURLToPath(new URL(`./peers/${peer}/`, import.meta.url))
    if (existsSync(`${directory}node_modules/${peer}`)) continue
    console.log(`installing ${peer} for the comparison …`)
    execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts'], {
      cwd: directory,
      stdio: 'inherit',
    })
  }
}

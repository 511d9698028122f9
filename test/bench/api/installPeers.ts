import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Dependencies of this benchmark only, each in its own directory. */
export const PEERS = ['ponder', 'postgraphile', 'graphql-jit'] as const
type Peer = (typeof PEERS)[number]

/**
 * Installs by the lock file without changing it. Not `npm ci`: it refuses a lock file that lacks other systems' packages,
 * and not every registry has them all.
 */
export const INSTALL = ['install', '--no-save', '--no-audit', '--no-fund', '--ignore-scripts']

export function peerDirectory(peer: Peer): string {
  return fileURLToPath(new URL(`./peers/${peer}/`, import.meta.url))
}

/** Installs the missing peers. */
export function installPeers(peers: readonly Peer[]): void {
  for (const peer of peers) {
    const directory = peerDirectory(peer)
    if (existsSync(`${directory}node_modules/${peer}`)) continue
    console.log(`installing ${peer} for the comparison …`)
    execFileSync('npm', INSTALL, { cwd: directory, stdio: 'inherit' })
  }
}

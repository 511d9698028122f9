import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** What only this bench needs, each in a directory of its own. */
export const PEERS = ['ponder', 'postgraphile', 'graphql-jit'] as const
type Peer = (typeof PEERS)[number]

/**
 * By the lock file, and leaving it as it is. Not `npm ci`: it refuses a lock file without the packages of other
 * systems, and not every registry has all of those.
 */
export const INSTALL = ['install', '--no-save', '--no-audit', '--no-fund', '--ignore-scripts']

export function peerDirectory(peer: Peer): string {
  return fileURLToPath(new URL(`./peers/${peer}/`, import.meta.url))
}

/** Installs those of the peers that aren't there yet. */
export function installPeers(peers: readonly Peer[]): void {
  for (const peer of peers) {
    const directory = peerDirectory(peer)
    if (existsSync(`${directory}node_modules/${peer}`)) continue
    console.log(`installing ${peer} for the comparison …`)
    execFileSync('npm', INSTALL, { cwd: directory, stdio: 'inherit' })
  }
}

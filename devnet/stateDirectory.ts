import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { removeClusterDirectory } from '../services/postgres/clusterDirectory.ts'
import { DEVNET_CHAINS } from './devnetOptions.ts'

/** Paths of a devnet's state. */
export type StateDirectory = {
  path: string
  postgres: string
  logs: string
  chainsFile: string
  /** The enclave's root secret, in its own directory. */
  rootFile: string
  /** The key that encrypts webhook secrets. */
  pushKeyFile: string
  /** The enclave's socket. */
  enclaveSocket: string
  chainState(name: string): string
  /** A file of the solver with this number: key, policy and so on. */
  solverFile(number: number, name: string): string
}

/** Creates the directory. Its parts are created by their users. */
export function createStateDirectory(directory: string): StateDirectory {
  const path = resolve(directory)
  const logs = join(path, 'logs')
  mkdirSync(logs, { recursive: true })
  return {
    path,
    logs,
    postgres: join(path, 'postgres'),
    chainsFile: join(path, 'chains.json'),
    rootFile: join(path, 'enclave', 'root'),
    pushKeyFile: join(path, 'push.key'),
    enclaveSocket: socketPath(path),
    chainState: (name) => join(path, `${name}.state.json`),
    solverFile: (number, name) => join(path, `solver-${number}.${name}`),
  }
}

/** A Unix socket's path is limited to about a hundred bytes: that of a deeply nested directory goes elsewhere. */
function socketPath(path: string): string {
  const near = join(path, 'enclave', 'socket')
  if (Buffer.byteLength(near) <= LONGEST_SOCKET_PATH) return near
  const name = createHash('sha256').update(path).digest('hex').slice(0, 16)
  return join(tmpdir(), `cairn-${name}`, 'socket')
}

const LONGEST_SOCKET_PATH = 100

/** Deletes a devnet's state: only what a devnet creates, whatever else is in the directory. */
export function clearState(state: StateDirectory): void {
  removeClusterDirectory(state.postgres)
  rmSync(state.chainsFile, { force: true })
  rmSync(state.pushKeyFile, { force: true })
  rmSync(join(state.path, 'enclave'), { recursive: true, force: true })
  for (const file of readdirSync(state.path))
    if (/^solver-\d\./.test(file)) rmSync(join(state.path, file), { force: true })
  rmSync(join(state.path, 'devnet.json'), { force: true })
  for (const { name } of DEVNET_CHAINS) {
    const file = state.chainState(name)
    for (const path of [file, `${file}.genesis`, `${file}.unreadable`])
      rmSync(path, { force: true })
  }
  for (const file of readdirSync(state.logs)) rmSync(join(state.logs, file), { recursive: true })
}

/** Moves the chains' state aside, so that the chains start over. */
export function setChainsAside(state: StateDirectory): void {
  for (const { name } of DEVNET_CHAINS) {
    const file = state.chainState(name)
    rmSync(`${file}.unreadable`, { force: true })
    try {
      renameSync(file, `${file}.unreadable`)
    } catch {
      // There was none.
    }
  }
}

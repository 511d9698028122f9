import { existsSync, readFileSync } from 'node:fs'
import { openKeyring } from '../../services/enclave/keys/keyring.ts'
import { readOrCreateRoots, rotateRoot, writeRoots } from '../../services/enclave/keys/rootFile.ts'
import { ToolError } from '../commandLine.ts'
import { combineShares, shareRoots } from './rootShares.ts'

/** Adds a new root, which seals from the next start on. @returns the message for the operator */
export function rotateRootFile(path: string): string {
  const [newest, previous] = [...openKeyring(rotateRoot(path)).byId.keys()]
  return `new blobs are sealed to ${newest} from the next start on; ${previous} still opens old ones. Make new backup shares now.`
}

/** Splits a file's roots into backup shares, one per line. */
export async function shareRootFile(path: string, count: string, needed: string): Promise<string> {
  if (!existsSync(path)) throw new ToolError(`there is no root file ${path}`)
  const { roots } = readOrCreateRoots(path)
  return (await shareRoots(roots, Number(count), Number(needed))).join('\n')
}

/** Creates a root file from shares. Never replaces a file. */
export async function restoreRootFile(path: string, shares: string): Promise<string> {
  if (existsSync(path)) throw new ToolError(`${path} already exists: name another file`)
  const roots = await combineShares(shares.split('\n'))
  writeRoots(path, roots)
  return `${path} holds ${roots.length} roots; the newest has key id ${openKeyring(roots).current.id}`
}

export function readStandardInput(): string {
  return readFileSync(0, 'utf8')
}

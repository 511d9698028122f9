import { randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fstatSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import { isReadableByOthers } from '../../config/isReadableByOthers.ts'
import { OperatorError } from '../../config/operatorError.ts'

/** The root file is unusable. The message reveals nothing of its content. */
export class RootFileError extends OperatorError {
  override readonly name = 'RootFileError'
}

/** Roots of 32 bytes, newest first. */
export type Roots = [Uint8Array, ...Uint8Array[]]

const ROOT_BYTES = 32

const PREFACE = `# Cairn's root secret: anyone with this file can read every recipient and spend every delivery.
# Keep a copy in a safe place. One root a line: the first is in use, the others only open.
`

/**
 * Reads the roots in a file, one line of 64 hex digits each, newest first; `#` begins a comment. Without a file,
 * creates one with a new root, readable only by its owner, and never overwrites an existing one.
 *
 * @returns the roots, and whether the file was created now
 * @throws RootFileError when others may read the file, or its content is invalid
 */
export function readOrCreateRoots(path: string): { roots: Roots; created: boolean } {
  const created = createOnce(path)
  const file = openSync(path, 'r')
  try {
    checkMode(path, fstatSync(file))
    return { roots: parseRoots(path, readFileSync(file, 'utf8')), created }
  } finally {
    closeSync(file)
  }
}

/** Written to a temporary file and then linked: complete or absent, and never over another file. */
function createOnce(path: string): boolean {
  if (existsSync(path)) return false
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}.new`
  try {
    mkdirSync(dirname(resolve(path)), { recursive: true, mode: 0o700 })
    writeDraft(draft, [new Uint8Array(randomBytes(ROOT_BYTES))])
    linkSync(draft, path)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') return false
    throw new RootFileError(
      `the root file ${path} can't be created (${code}): check the disk, and its folder's owner and mode`,
    )
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Replaces the file's roots atomically. */
export function writeRoots(path: string, roots: Roots): void {
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}.new`
  try {
    mkdirSync(dirname(resolve(path)), { recursive: true, mode: 0o700 })
    writeDraft(draft, roots)
    renameSync(draft, path)
  } finally {
    rmSync(draft, { force: true })
  }
}

/** The roots in these concatenated bytes; null if there are none. */
export function splitRoots(bytes: Uint8Array): Roots | null {
  if (bytes.length % ROOT_BYTES !== 0) return null
  const [newest, ...older] = Array.from({ length: bytes.length / ROOT_BYTES }, (_, at) =>
    Uint8Array.from(bytes.subarray(at * ROOT_BYTES, (at + 1) * ROOT_BYTES)),
  )
  return newest === undefined ? null : [newest, ...older]
}

/** Creates a new root, which seals from the next start on; the older ones only open. */
export function rotateRoot(path: string): Roots {
  if (!existsSync(path)) throw new RootFileError(`there is no root file ${path} to rotate`)
  const { roots } = readOrCreateRoots(path)
  const rotated: Roots = [new Uint8Array(randomBytes(ROOT_BYTES)), ...roots]
  writeRoots(path, rotated)
  return rotated
}

function writeDraft(path: string, roots: Roots): void {
  const lines = roots.map((root) => `${Buffer.from(root).toString('hex')}\n`)
  writeFileSync(path, `${PREFACE}${lines.join('')}`, { flag: 'wx', mode: 0o600, flush: true })
}

function checkMode(path: string, stats: Stats): void {
  if (!isReadableByOthers(stats)) return
  const found = (stats.mode & 0o777).toString(8).padStart(4, '0')
  throw new RootFileError(
    `the root file ${path} has mode ${found}, so others on this machine can read it: run chmod 600 on it, and treat it as known to them`,
  )
}

function parseRoots(path: string, text: string): Roots {
  const lines = text.split('\n').map((line) => line.replace(/#.*/, '').trim())
  const [newest, ...older] = lines.flatMap((line, position) => {
    if (line === '') return []
    const digits = /^(?:0x)?([0-9a-fA-F]{64})$/.exec(line)?.[1]
    if (digits === undefined) {
      throw new RootFileError(
        `line ${position + 1} of the root file ${path} is not 64 hex digits; restore the file from its backup`,
      )
    }
    return [new Uint8Array(Buffer.from(digits, 'hex'))]
  })
  if (newest === undefined) {
    throw new RootFileError(
      `the root file ${path} holds no root; restore it from its backup, or remove it to begin with a new root`,
    )
  }
  return [newest, ...older]
}

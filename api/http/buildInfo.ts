import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** The project's version, the commit of its checkout (`unknown` without one), and Node's version. */
type BuildInfo = { version: string; revision: string; node: string }

export function readBuildInfo(): BuildInfo {
  const { version } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as { version: string }
  return { version, revision: revision(), node: process.versions.node }
}

/** Reads git's files, since git may not be installed. */
function revision(): string {
  const head = read(`${ROOT}.git/HEAD`)
  const [, branch] = /^ref: (.+)$/.exec(head) ?? []
  if (branch === undefined) return head || 'unknown'
  const packed = read(`${ROOT}.git/packed-refs`)
    .split('\n')
    .find((line) => line.endsWith(` ${branch}`))
  return read(`${ROOT}.git/${branch}`) || packed?.split(' ')[0] || 'unknown'
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return ''
  }
}

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** What runs: the project's version, the commit of its checkout (`unknown` without one), and Node's version. */
type BuildInfo = { version: string; revision: string; node: string }

export function buildInfo(root = ROOT): BuildInfo {
  const { version } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { version: string }
  return { version, revision: revisionOf(root), node: process.versions.node }
}

/** As git keeps it in files: git itself need not be there. */
function revisionOf(root: string): string {
  const head = read(`${root}.git/HEAD`)
  const [, branch] = /^ref: (.+)$/.exec(head) ?? []
  if (branch === undefined) return head || 'unknown'
  const packed = read(`${root}.git/packed-refs`)
    .split('\n')
    .find((line) => line.endsWith(` ${branch}`))
  return read(`${root}.git/${branch}`) || packed?.split(' ')[0] || 'unknown'
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return ''
  }
}

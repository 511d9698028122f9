import { spawnSync } from 'node:child_process'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome']

/** Finds a browser: an installed one, or Debian's, which is downloaded if apt allows. Null without either. */
export function findChromium(): string | null {
  const found = NAMES.find((name) => runs(name, ['--version']))
  if (found !== undefined) return found
  const packages = ['install', '-y', '--no-install-recommends', 'chromium']
  if (process.getuid?.() !== 0 || !runs('apt-get', ['--version'])) return null
  const isThere =
    runs('apt-get', packages) || (runs('apt-get', ['update']) && runs('apt-get', packages))
  return isThere ? 'chromium' : null
}

function runs(command: string, parameters: string[]): boolean {
  return spawnSync(command, parameters, { stdio: 'ignore' }).status === 0
}

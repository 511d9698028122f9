import { spawn } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'

export type RunOptions = {
  /** Show output as it comes; otherwise all of it at the end. */
  isLive?: boolean
  /** Run only when no other process wants the processor. */
  hasLowPriority?: boolean
  /** The script starts once this resolves. */
  after?: Promise<unknown>
}

/** Runs one of package.json's scripts. @returns its exit code; 1 when a signal ended it */
export async function runScript(name: string, options: RunOptions = {}): Promise<number> {
  const { isLive = false, hasLowPriority = false, after } = options
  await after
  const began = performance.now()
  const output = isLive ? 'inherit' : 'pipe'
  const child = spawn('npm', ['run', '--silent', name], { stdio: ['ignore', output, output] })
  // Before npm starts anything, since children inherit it.
  if (hasLowPriority && child.pid !== undefined)
    setPriority(child.pid, constants.priority.PRIORITY_LOW)
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (more) => {
      text += more
    })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      const seconds = ((performance.now() - began) / 1_000).toFixed(0)
      process.stdout.write(`${text}${name}: ${code === 0 ? 'ok' : 'FAILED'} (${seconds} s)\n`)
      if (code !== 0) noteFailure(name)
      resolve(code ?? 1)
    })
  })
}

/** Where test suites report theirs: see FailureReporter. */
function noteFailure(name: string): void {
  const file = process.env.CAIRN_FAILURES
  if (file) appendFileSync(file, `npm run ${name} failed: its output says why\n`)
}

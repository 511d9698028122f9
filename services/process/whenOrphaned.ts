/** Milliseconds between two looks at who our parent is. */
const LOOK_EVERY = 250

/**
 * Calls `end` when this process was started by one of our npm scripts and the shell between npm and us is
 * gone: npm passes a SIGTERM on to that shell, which ends without passing it on. Other programs may start
 * us and leave, as `nohup` and init systems do; so nobody else's end is watched.
 */
export function whenOrphaned(end: () => void, env: NodeJS.ProcessEnv = process.env): void {
  if (!/(^|[\s/])(main\.ts|cairn\.js)\s/.test(`${env.npm_lifecycle_script ?? ''} `)) return
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(timer)
    end()
  }, LOOK_EVERY)
  timer.unref()
}

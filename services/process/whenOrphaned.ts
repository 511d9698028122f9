/** Milliseconds between two checks of our parent. */
const POLL_MS = 250

/**
 * Calls `end` once when whatever started this process is gone: the launcher (even after `kill -9`), or the shell
 * between npm and us. npm passes a SIGTERM on to that shell, which ends without passing it on. Other programs may start
 * us and leave, as `nohup` and init systems do, so no other parent is watched.
 */
export function whenOrphaned(end: () => void): void {
  const parent = process.ppid
  const timer = setInterval(() => {
    if (process.ppid !== parent) over()
  }, POLL_MS)
  const over = () => {
    clearInterval(timer)
    process.off('disconnect', over)
    end()
  }
  process.once('disconnect', over)
  if (isStartedByNpm(process.env)) timer.unref()
  else clearInterval(timer)
}

/** Only for our own npm scripts, not for a script that calls another program which calls us. */
function isStartedByNpm({ npm_lifecycle_script = '' }: NodeJS.ProcessEnv): boolean {
  return /(^|[\s/])(main\.ts|cairn\.js)(\s|$)/.test(npm_lifecycle_script)
}

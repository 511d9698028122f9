/** What a guard is told to run, and how to end it. */
export type GuardOrder = {
  command: string
  args: string[]
  cwd: string
  env: NodeJS.ProcessEnv
  /** Run the program as this user and group (only root can ask for that). */
  uid?: number
  gid?: number
  /** The signal that asks the program to end by itself. */
  endSignal: NodeJS.Signals
  /** How long the program may take to end before it is killed, in milliseconds. */
  patienceMs: number
}

/** What a guard tells about its program. */
export type GuardMessage =
  | { type: 'started'; pid: number }
  | { type: 'failed'; reason: string }
  | { type: 'ended'; code: number | null; signal: NodeJS.Signals | null }

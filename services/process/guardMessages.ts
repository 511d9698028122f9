/** What a guard runs, and how to end it. */
export type ProgramOrder = {
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
  timeoutMs: number
}

/** What the guard is sent: a program to run, under a number of its own, or the number of one to end. */
export type GuardOrder =
  | { type: 'run'; id: number; order: ProgramOrder }
  | { type: 'end'; id: number }

/** What a guard reports of a program. The last is `failed` or `ended`, after all of its output. */
export type ProgramNews =
  | { type: 'started'; pid: number }
  | { type: 'output'; from: 'stdout' | 'stderr'; text: string }
  | { type: 'failed'; reason: string }
  | { type: 'ended'; code: number | null; signal: NodeJS.Signals | null }

export type GuardMessage = { id: number; news: ProgramNews }

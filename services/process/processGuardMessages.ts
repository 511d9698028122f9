/** The program that a guard runs, and how to end it. */
export type ProgramOrder = {
  command: string
  args: string[]
  cwd: string
  env: NodeJS.ProcessEnv
  /** User and group of the program; only root can set them. */
  uid?: number
  gid?: number
  /** The signal that asks the program to end. */
  endSignal: NodeJS.Signals
  /** Milliseconds until the program is killed. */
  timeoutMs: number
}

/** Message to a guard: a program to run, with its number, or the number of one to end. */
export type GuardOrder =
  | { type: 'run'; id: number; order: ProgramOrder }
  | { type: 'end'; id: number }

/** A guard's report about a program. The last is `failed` or `ended`, after all of its output. */
export type ProgramNews =
  | { type: 'started'; pid: number }
  | { type: 'output'; from: 'stdout' | 'stderr'; text: string }
  | { type: 'failed'; reason: string }
  | { type: 'ended'; code: number | null; signal: NodeJS.Signals | null }

export type GuardMessage = { id: number; news: ProgramNews }

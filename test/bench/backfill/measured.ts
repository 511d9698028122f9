import { readFile } from 'node:fs/promises'
import { spawnGuarded } from '../../../services/process/spawnGuarded.ts'

/** What a program took until it said that it was done. */
export type Measurement = { seconds: number; cpuSeconds: number; peakMegabytes: number }

/** Clock ticks a second in /proc, fixed for user space on Linux. */
const ticks = 100

/**
 * Runs a program of Node until a line of its output says that it is done, then ends it.
 *
 * CPU time and peak memory are the process's own, from /proc; NaN where there is none.
 * @throws with its last lines when it ends before.
 */
export async function measured(
  args: string[],
  env: NodeJS.ProcessEnv,
  isDone: (line: string) => boolean,
): Promise<Measurement> {
  const begun = performance.now()
  const program = await spawnGuarded(process.execPath, ['--no-warnings', ...args], { env })
  const done = Promise.withResolvers<void>()
  program.onLine((line) => {
    if (isDone(line)) done.resolve()
  })
  const ended = program.ended.then(() => {
    throw new Error(`the program ended early:\n${program.lastLines().join('\n')}`)
  })
  ended.catch(() => {})
  await Promise.race([done.promise, ended])
  const seconds = (performance.now() - begun) / 1000
  const usage = {
    cpuSeconds: await cpuSeconds(program.pid),
    peakMegabytes: await peak(program.pid),
  }
  await program.end()
  return { seconds, ...usage }
}

async function cpuSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The second field, the program's name, may hold blanks; the rest follows its closing bracket.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticks
}

async function peak(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024
}

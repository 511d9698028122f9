import { readdir, readFile } from 'node:fs/promises'
import { spawnGuarded } from '../../../services/process/spawnGuarded.ts'

/** What a program and the processes that it started took until it said that it was done. */
export type Measurement = {
  seconds: number
  cpuSeconds: number
  /** Most memory of each process, in megabytes; the program's own first. */
  peaks: number[]
}

/** Clock ticks a second in /proc, fixed for user space on Linux. */
const ticks = 100

/**
 * Runs a program of Node until a line of its output says that it is done, then ends it.
 *
 * CPU time and peak memory are from /proc (NaN where there is none), of the program and those of its processes that
 * still run; the peaks need not have been at the same moment.
 * @param onLine told each line and the seconds since the start
 * @throws with its last lines when it ends before.
 */
export async function measured(
  args: string[],
  env: NodeJS.ProcessEnv,
  isDone: (line: string) => boolean,
  onLine: (line: string, seconds: number) => void = () => {},
): Promise<Measurement> {
  const begun = performance.now()
  const elapsed = () => (performance.now() - begun) / 1000
  const program = await spawnGuarded(process.execPath, ['--no-warnings', ...args], { env })
  const done = Promise.withResolvers<void>()
  program.onLine((line) => {
    onLine(line, elapsed())
    if (isDone(line)) done.resolve()
  })
  const ended = program.ended.then(() => {
    throw new Error(`the program ended early:\n${program.lastLines().join('\n')}`)
  })
  ended.catch(() => {})
  await Promise.race([done.promise, ended])
  const seconds = elapsed()
  const processes = await family(program.pid)
  const [cpu, memory] = await Promise.all([
    Promise.all(processes.map(cpuSeconds)),
    Promise.all(processes.map(peak)),
  ])
  await program.end()
  return { seconds, cpuSeconds: sum(cpu), peaks: memory }
}

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)

/** A process and all that descend from it. */
async function family(pid: number): Promise<number[]> {
  const names = await readdir('/proc').catch(() => [])
  const children = new Map<number, number[]>()
  for (const other of names.map(Number).filter(Number.isInteger)) {
    const parent = Number((await statOf(other))[1])
    children.set(parent, [...(children.get(parent) ?? []), other])
  }
  const members = [pid]
  for (const member of members) members.push(...(children.get(member) ?? []))
  return members
}

/** Fields of /proc/<pid>/stat from the third, the state, on: the second, a name, may hold blanks. */
async function statOf(pid: number): Promise<string[]> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

async function cpuSeconds(pid: number): Promise<number> {
  const fields = await statOf(pid)
  return (Number(fields[11]) + Number(fields[12])) / ticks
}

async function peak(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024
}

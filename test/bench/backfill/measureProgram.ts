import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { spawnGuardedProcess } from '../../../services/process/spawnGuardedProcess.ts'

/** Resources a program and its child processes used until it reported completion. */
export type Measurement = {
  seconds: number
  cpuSeconds: number
  /** Peak memory of all processes together, in megabytes. */
  peakMegabytes: number
}

/** Milliseconds between memory samples. */
const POLL_MS = 100

/** Clock ticks a second in /proc, fixed for user space on Linux. */
const ticks = 100

/**
 * Runs a Node program until a line of its output reports completion, then ends it.
 *
 * CPU time and memory come from /proc (NaN where there is none), for the program and its running child processes. Shared
 * memory counts once (PSS).
 * @param isDone may throw when the program can never finish
 * @param onLine receives each line and the seconds since the start
 * @throws with its last lines when it exits early
 */
export async function measureProgram(
  args: string[],
  env: NodeJS.ProcessEnv,
  isDone: (line: string) => boolean,
  onLine: (line: string, seconds: number) => void = () => {},
): Promise<Measurement> {
  const begun = performance.now()
  const elapsed = () => (performance.now() - begun) / 1000
  const program = await spawnGuardedProcess(process.execPath, ['--no-warnings', ...args], { env })
  const done = Promise.withResolvers<void>()
  program.onLine((line) => {
    onLine(line, elapsed())
    try {
      if (isDone(line)) done.resolve()
    } catch (error) {
      done.reject(error)
    }
  })
  const ended = program.ended.then(() => {
    throw new Error(`the program ended early:\n${program.lastLines().join('\n')}`)
  })
  ended.catch(() => {})
  const memory = watchMemory(program.pid)
  await Promise.race([done.promise, ended])
  const seconds = elapsed()
  const peakMegabytes = await memory.stop()
  const cpu = await Promise.all((await family(program.pid)).map(cpuSeconds))
  await program.end()
  return { seconds, cpuSeconds: sum(cpu), peakMegabytes }
}

/** Samples the memory of a process and its descendants until stopped. */
function watchMemory(pid: number) {
  const over = new AbortController()
  let most = Number.NaN
  const watching = (async () => {
    while (!over.signal.aborted) {
      const now = sum(await Promise.all((await family(pid)).map(megabytes)))
      if (!(now <= most)) most = now
      await sleep(POLL_MS, undefined, { signal: over.signal }).catch(() => {})
    }
  })()
  return {
    stop: async () => {
      over.abort()
      await watching
      return most
    },
  }
}

const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)

/** A process and all its descendants. */
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

/** Fields of /proc/<pid>/stat from the third (state) on: the second, a name, may contain blanks. */
async function statOf(pid: number): Promise<string[]> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

async function cpuSeconds(pid: number): Promise<number> {
  const fields = await statOf(pid)
  return (Number(fields[11]) + Number(fields[12])) / ticks
}

/** 0 for a process that has exited. */
async function megabytes(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => 'Pss: 0 kB')
  return Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1]) / 1024
}

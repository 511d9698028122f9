import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Contender, Question } from './comparedServers.ts'
import type { LoadMessage, LoadOrder, LoadResult } from './loadProgram.ts'
import { readProcessTime } from './readProcessTime.ts'

/** A load's result; CPU in seconds over the measured time. */
type Load = LoadResult & { serverCpu: number; databaseCpu: number }
export type Measured = Load & { contender: Contender; question: Question }

const PROGRAM = fileURLToPath(new URL('./loadProgram.ts', import.meta.url))

/** Runs a load on a server from another process, and measures the CPU time of the server and of PostgreSQL. */
export function measureLoad(order: LoadOrder, server: number, database: number): Promise<Load> {
  const program = fork(PROGRAM, { execArgv: ['--no-warnings'] })
  const { promise, resolve, reject } = Promise.withResolvers<Load>()
  let before = { server: 0, database: 0 }
  program.on('message', (message: LoadMessage) => {
    const now = { server: readProcessTime(server), database: readProcessTime(database) }
    if (message.type === 'begun') before = now
    else {
      const serverCpu = now.server - before.server
      resolve({ ...message.result, serverCpu, databaseCpu: now.database - before.database })
    }
  })
  program.on('error', reject)
  program.on('exit', (code) => reject(new Error(`the load ended with ${code}`)))
  program.send(order)
  return promise
}

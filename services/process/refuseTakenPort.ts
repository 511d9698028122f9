import { describeListenProblem } from './describeListenProblem.ts'
import { requireFreePort } from './requireFreePort.ts'

/**
 * Reports that a port is taken or can't be listened on for another reason, and sets the exit code to 1, before anything
 * is loaded or opened: it is the most common reason for a failed start. The configuration checks invalid ports.
 *
 * @param setting name of the port's variable, such as `API_PORT`
 */
export async function refuseTakenPort(
  setting: string,
  host: string,
  port: string,
): Promise<boolean> {
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) return false
  const problem = await requireFreePort(host, Number(port)).then(
    () => null,
    (error: unknown) => describeListenProblem(error, setting) ?? `${setting}: ${String(error)}`,
  )
  if (problem === null) return false
  process.stderr.write(`${problem}\n`)
  process.exitCode = 1
  return true
}

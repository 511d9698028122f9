import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const MODULE = new URL('../../../services/config/computeDefaultCacheMegabytes.ts', import.meta.url)
  .href
const PROGRAM = `import { computeDefaultCacheMegabytes } from '${MODULE}'; console.log(computeDefaultCacheMegabytes())`

/** What is said in a process whose objects may take so many megabytes. */
async function whereNodeAllows(megabytes: number): Promise<number> {
  const flags = [`--max-old-space-size=${megabytes}`, '--no-warnings', '--input-type=module']
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, '--eval', PROGRAM])
  return Number(stdout)
}

test('a small machine keeps little in memory, a large one no more than is of use', async () => {
  const little = await whereNodeAllows(400)
  expect(little).toBeGreaterThanOrEqual(200)
  expect(little).toBeLessThan(400)
  expect(await whereNodeAllows(16_000)).toBe(2_048)
})

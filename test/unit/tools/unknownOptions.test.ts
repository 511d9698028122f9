import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { runProgram } from '../../runProgram.ts'

test.each([
  'contracts/deploy/checkDeployment.ts',
  'contracts/deploy/main.ts',
  'contracts/economics/main.ts',
  'contracts/mutants/main.ts',
  'test/chaos/main.ts',
  'test/model/main.ts',
  'test/sim/main.ts',
])('%s names an option that it doesn’t know, without a stack', async (path) => {
  const program = fileURLToPath(new URL(`../../../${path}`, import.meta.url))
  const { code, stdout, stderr } = await runProgram(program, ['--nonsense'])
  expect(stderr).toMatch(/^Unknown option '--nonsense'(: see --help\n$|\n\n)/)
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).not.toContain('\n    at ')
})

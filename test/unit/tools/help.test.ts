import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { runProgram } from '../../runProgram.ts'

test.each([
  ['contracts/deploy/main.ts', [], 'npm run deploy -- --config <file>'],
  ['contracts/deploy/checkDeployment.ts', [], 'npm run check:deployment -- --config <file>'],
  ['contracts/economics/main.ts', [], 'npm run test:economics -- [options]'],
  ['contracts/mutants/main.ts', [], 'npm run test:mutants -- [options]'],
  ['test/model/main.ts', [], 'npm run test:model -- [options]'],
  ['tools/enclave/main.ts', [], 'Usage: npm run -s enclave -- <command>'],
  ['tools/enclave/main.ts', ['rotate-root'], 'Usage: npm run -s enclave -- <command>'],
  ['services/main.ts', ['api'], 'npx cairn <role> [options]'],
  ['services/main.ts', ['indexer'], 'npx cairn <role> [options]'],
])('%s %s prints its usage', async (main, args, usage) => {
  const program = fileURLToPath(new URL(`../../../${main}`, import.meta.url))
  const run = await runProgram(program, [...args, '--help'])
  expect([run.code, run.stderr]).toEqual([0, ''])
  expect(run.stdout.startsWith(usage)).toBe(true)
})

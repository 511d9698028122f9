import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { runProgram } from '../../runProgram.ts'

const MAIN = fileURLToPath(new URL('../../../tools/seed/main.ts', import.meta.url))

test.each([
  [[], 'seed: name a database with --database, or set DATABASE_URL'],
  [['--nonsense'], "seed: Unknown option '--nonsense': see --help"],
  [['--intents', 'many'], 'seed: --intents: "many" is not a whole number'],
  [
    ['--database', 'postgres://cairn:topsecret@127.0.0.1:1/cairn'],
    'seed: --database: nothing listens at 127.0.0.1:1',
  ],
])('seed %j exits with 2 and says why', async (args, words) => {
  const { code, stdout, stderr } = await runProgram(MAIN, args)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain(words)
  expect(stderr).not.toContain('topsecret')
})

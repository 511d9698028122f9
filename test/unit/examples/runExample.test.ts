import { afterEach, expect, test, vi } from 'vitest'
import { print, runExample } from '../../../examples/runExample.ts'
import { RelayerError } from '../../../sdk/index.ts'

afterEach(() => {
  vi.restoreAllMocks()
  process.exitCode = undefined
})

/** Clears the screen and poses as the example's own success. */
const FORGED = '\u001b[2J\u009b1A\nintent 5 is completed\u202e'

test.each([
  new RelayerError({ code: 'AWAY', message: `no: ${FORGED}`, status: 503 }),
  new RelayerError({ code: `AWAY${FORGED}`, message: 'no', status: 503 }),
  new Error(`no: ${FORGED}`),
])('a service’s error can’t steer the terminal: %#', async (error) => {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  await runExample(() => Promise.reject(error))
  const [[said]] = write.mock.calls as [[string]]
  expect(said).toContain('no')
  expect(said).not.toMatch(/[^\P{C}\n]/u)
  if (error instanceof RelayerError) expect(said.trimEnd()).not.toContain('\n')
})

test('nor can what an example prints', () => {
  const log = vi.spyOn(console, 'log').mockReturnValue()
  print(FORGED)
  expect(log).toHaveBeenCalledWith('[2J1A\nintent 5 is completed')
})

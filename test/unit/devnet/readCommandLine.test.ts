import { describe, expect, it } from 'vitest'
import { readCommandLine } from '../../../devnet/readCommandLine.ts'

describe('the options of npm start', () => {
  it('have defaults', () => {
    expect(readCommandLine([], {})).toEqual({
      help: false,
      fresh: false,
      directory: '.cairn',
      apiHost: '127.0.0.1',
      apiPort: 0,
      traffic: { perMinute: 6, seed: 1 },
      logLevel: 'info',
      watch: false,
    })
  })

  it('are read', () => {
    const args =
      '--fresh --traffic 30/min --seed=7 --api-port 4000 --directory /tmp/x --log-level debug'
    expect(readCommandLine(args.split(' '), {})).toMatchObject({
      fresh: true,
      traffic: { perMinute: 30, seed: 7 },
      apiPort: 4000,
      directory: '/tmp/x',
      logLevel: 'debug',
    })
    expect(readCommandLine(['--traffic', 'off'], {}).traffic).toBe('off')
    expect(readCommandLine(['--traffic', '0.5'], {}).traffic).toEqual({ perMinute: 0.5, seed: 1 })
  })

  it('override the environment, which overrides the defaults', () => {
    const env = { API_PORT: '5000', CAIRN_DIRECTORY: '/tmp/y', LOG_LEVEL: '' }
    expect(readCommandLine([], env)).toMatchObject({
      apiPort: 5000,
      directory: '/tmp/y',
      logLevel: 'info',
    })
    expect(readCommandLine(['--api-port', '5001'], env).apiPort).toBe(5001)
  })

  it('are refused all at once when they are wrong', () => {
    const args =
      '--traffic lots --api-port 99999 --seed -1 --fersh --log-level loud now --fresh=yes'
    expect(() => readCommandLine(args.split(' '), {})).toThrow(
      expect.objectContaining({
        problems: expect.arrayContaining([
          expect.stringMatching(/^--traffic: expected off or a rate/),
          expect.stringMatching(/^--api-port: expected a whole number from 0 to 65535/),
          expect.stringMatching(/^--seed/),
          expect.stringMatching(/^--fersh: no such option/),
          expect.stringMatching(/^--log-level: expected one of/),
          expect.stringMatching(/^now: not an option/),
          expect.stringMatching(/^--fresh: takes no value/),
        ]),
      }),
    )
  })
})

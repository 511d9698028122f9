import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { hideUrls } from '../../../services/log/hideUrls.ts'

it.each([
  ['https://rpc.example/v2/key', 'https://rpc.example/…'],
  ['https://rpc.example:8545?apikey=key', 'https://rpc.example:8545/…'],
  ['HTTPS://rpc.example/v2/key', 'HTTPS://rpc.example/…'],
  ['wss://name:key@rpc.example', 'wss://rpc.example/…'],
  ['postgres://cairn:p@ss-key@db:5432/cairn', 'postgres://db:5432/…'],
  ['URL: https://rpc.example/key\nRequest body', 'URL: https://rpc.example/…\nRequest body'],
  ['listening on http://127.0.0.1:8080', 'listening on http://127.0.0.1:8080'],
])('of %s only the host is left', (text, shown) => {
  expect(hideUrls(text)).toBe(shown)
})

it('a logged error discloses no RPC key, not even in its cause’s cause', () => {
  const log = fileURLToPath(new URL('../../../services/log/createLog.ts', import.meta.url))
  const program = `
    import { createLog } from ${JSON.stringify(log)}
    const first = new Error('HTTP request failed.\\n\\nURL: https://rpc.example/v2/KEY\\nBody: "x"')
    const err = new Error('no proof', { cause: new Error('unreachable', { cause: first }) })
    createLog('api').warn({ err, at: 'https://rpc.example/KEY' }, 'failed at wss://rpc.example/KEY')`
  const line = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
  })
  expect(line).not.toContain('KEY')
  expect(JSON.parse(line)).toMatchObject({
    at: 'https://rpc.example/…',
    msg: 'failed at wss://rpc.example/…',
    err: { message: expect.stringContaining('URL: https://rpc.example/…\nBody: "x"') },
  })
})

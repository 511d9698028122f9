/**
 * `npm run check`: types, imports and contracts side by side, since the last doesn't always
 * keep both cores busy. What each prints is printed whole when it has ended. Fails when one of them does.
 */
import { spawn } from 'node:child_process'

const codes = await Promise.all(['typecheck', 'check:imports', 'test:contracts'].map(runScript))
process.exitCode = codes.find((code) => code !== 0) ?? 0

/** @returns the script's exit code; 1 when a signal ended it */
function runScript(name: string): Promise<number> {
  const child = spawn('npm', ['run', '--silent', name], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => {
      process.stdout.write(`${output}${name}: ${code === 0 ? 'ok' : 'FAILED'}\n`)
      resolve(code ?? 1)
    })
  })
}

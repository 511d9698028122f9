import { appendFileSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'
import type { Reporter, SerializedError, TestModule } from 'vitest/node'

/** Enough of a message to identify the failure. */
const LENGTH = 300

/**
 * Appends a line for each failed test, failed test file and stray error to the file named by `CAIRN_FAILURES`, for
 * environments that keep only the end of a long output.
 */
export class FailureReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], strays: readonly SerializedError[]): void {
    const file = process.env.CAIRN_FAILURES
    if (!file) return
    const lines = [
      ...modules.flatMap(failuresOf),
      ...strays.map((error) => `outside of tests: ${messageOf(error)}`),
    ]
    if (lines.length > 0) appendFileSync(file, `${lines.join('\n')}\n`)
  }
}

function failuresOf(module: TestModule): string[] {
  const file = module.relativeModuleId
  const whole = module.errors().map((error) => `${file}: ${messageOf(error)}`)
  const suites = [...module.children.allSuites()].flatMap((suite) =>
    suite.errors().map((error) => `${file} > ${suite.fullName}: ${messageOf(error)}`),
  )
  const tests = [...module.children.allTests('failed')].map((test) => {
    const [error] = test.result().errors ?? []
    return `${file} > ${test.fullName}: ${error ? messageOf(error) : 'no reason given'}`
  })
  return [...whole, ...suites, ...tests]
}

function messageOf({ name, message }: { name?: string; message?: string }): string {
  const text = stripVTControlCharacters(`${name ?? 'Error'}: ${message ?? ''}`)
  return text.replace(/\s+/g, ' ').trim().slice(0, LENGTH)
}

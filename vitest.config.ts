import { defineConfig } from 'vitest/config'
import { FailureReporter } from './test/run/failureReporter.ts'

/** Suites that start databases, nodes or the whole system take turns: the machine is the shared resource. */
const oneAtATime = {
  fileParallelism: false,
  maxWorkers: 1,
  testTimeout: 120_000,
  hookTimeout: 120_000,
}

/** Integration test files side by side: each has its own database, nodes and ports. One by default. */
const workers = Math.max(1, Number(process.env.CAIRN_TEST_WORKERS) || 1)

/** graphql ships as CommonJS and as ES modules, and refuses to be loaded as both: Node takes the first. */
const resolve = { alias: [{ find: /^graphql$/, replacement: 'graphql/index.js' }] }

export default defineConfig({
  test: {
    pool: 'forks',
    globalSetup: 'test/run/runDirectory.ts',
    reporters: ['default', new FailureReporter()],
    projects: [
      {
        resolve,
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts'],
          testTimeout: 60_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        resolve,
        test: {
          name: 'integration',
          include: ['test/{integration,attack}/**/*.test.ts'],
          ...oneAtATime,
          fileParallelism: workers > 1,
          maxWorkers: workers,
          sequence: { groupOrder: 2 },
        },
      },
      {
        resolve,
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          ...oneAtATime,
          testTimeout: 240_000,
          hookTimeout: 240_000,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
})

import { defineConfig } from 'vitest/config'
import { FailureReporter } from './test/run/failureReporter.ts'

/** Files side by side. */
const WORKERS = Math.max(1, Number(process.env.CAIRN_TEST_WORKERS) || 2)

/**
 * Suites that start databases, nodes or the whole system: two files side by side, each with its
 * own database, nodes and ports. They wait more than they compute, so two use two cores well;
 * more would only make them wait for each other.
 */
const startsServers = {
  maxWorkers: WORKERS,
  testTimeout: 120_000,
  hookTimeout: 120_000,
  sequence: { groupOrder: 2 },
}

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
          // They share nothing that a test changes: a process loads each module once for all its files.
          isolate: false,
          maxWorkers: WORKERS,
          sequence: { groupOrder: 1 },
        },
      },
      {
        resolve,
        test: {
          name: 'integration',
          include: ['test/{integration,attack}/**/*.test.ts'],
          ...startsServers,
        },
      },
      {
        resolve,
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          ...startsServers,
          testTimeout: 240_000,
          hookTimeout: 240_000,
        },
      },
    ],
  },
})

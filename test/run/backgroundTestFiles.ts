/**
 * Paths of suites that compute for long and measure no time. `npm test` runs them at low priority beside the server
 * suites, which leave a tenth of the processor time idle; devnet suites leave nothing.
 */
export const BACKGROUND_FILES = [
  'test/integration/sdk/package.test.ts',
  'test/integration/store/explain.test.ts',
  'test/integration/replay/replay.test.ts',
  'test/integration/report/report.test.ts',
  'test/integration/rest/openapi.test.ts',
  'test/integration/rest/compression.test.ts',
  'test/integration/asOf/asOf.test.ts',
  'test/integration/store/keysetPagination.test.ts',
  'test/integration/store/seed.test.ts',
]

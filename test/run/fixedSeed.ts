/**
 * Gives property tests the same values in every run, so that a failure is caused by a change, not by chance.
 * `npm run test:properties` tries more values, different ones each time.
 */
import fc from 'fast-check'

const { PROPERTY_SEED = '20260', PROPERTY_RUNS } = process.env

fc.configureGlobal({
  ...(PROPERTY_SEED !== 'any' && { seed: Number(PROPERTY_SEED) }),
  ...(PROPERTY_RUNS !== undefined && { numRuns: Number(PROPERTY_RUNS) }),
})

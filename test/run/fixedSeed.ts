/**
 * Tries properties with the same values in each run: a run fails for what was changed, not by chance.
 * `npm run test:properties` tries them with more values, others each time.
 */
import fc from 'fast-check'

const { PROPERTY_SEED = '20260', PROPERTY_RUNS } = process.env

fc.configureGlobal({
  ...(PROPERTY_SEED !== 'any' && { seed: Number(PROPERTY_SEED) }),
  ...(PROPERTY_RUNS !== undefined && { numRuns: Number(PROPERTY_RUNS) }),
})

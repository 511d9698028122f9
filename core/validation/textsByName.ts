import { z } from 'zod'

/** Texts by name. Reports the first wrong value only: zod reports each, and thousands take it a quarter of a second. */
export const textsByName = z
  .custom((value) => Object.values(Object(value)).every((one) => typeof one === 'string'), {
    error: 'expected text under each name',
  })
  .pipe(z.record(z.string(), z.string()))

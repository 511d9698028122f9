import { z } from 'zod'

/** Texts by name. Wrong values are one problem: zod reports each, which takes a quarter of a second for thousands. */
export const textsByName = z
  .custom((value) => Object.values(Object(value)).every((one) => typeof one === 'string'), {
    error: 'expected text under each name',
  })
  .pipe(z.record(z.string(), z.string()))

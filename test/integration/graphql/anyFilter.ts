import fc from 'fast-check'

/** An answer's shape is the query's. */
// biome-ignore lint/suspicious/noExplicitAny: see above
type Any = any

/** A filter with what it says of an entry: what the API makes of it can be compared with that. */
export type Filter = { where: Any; passes: (entry: Any) => boolean }

/** Filters put together of plain ones with `or` and `not`, one in the other. */
export function anyFilter(plain: fc.Arbitrary<Filter>): fc.Arbitrary<Filter> {
  return fc
    .record({
      base: plain,
      or: fc.option(fc.array(plain, { maxLength: 3 }), { nil: undefined }),
      not: fc.option(plain, { nil: undefined }),
      inner: fc.option(fc.record({ a: plain, b: plain }), { nil: undefined }),
    })
    .map(({ base, or, not, inner }): Filter => {
      // One level further down: neither of two.
      const all = [...(or ?? []), ...(inner ? [neither(inner.a, inner.b)] : [])]
      const isAny = or !== undefined || inner !== undefined
      return {
        where: {
          ...base.where,
          ...(isAny && { or: all.map(({ where }) => where) }),
          ...(not && { not: not.where }),
        },
        passes: (entry) =>
          base.passes(entry) &&
          (!isAny || all.some((one) => one.passes(entry))) &&
          !not?.passes(entry),
      }
    })
}

function neither(a: Filter, b: Filter): Filter {
  return {
    where: { not: { or: [a.where, b.where] } },
    passes: (entry) => !a.passes(entry) && !b.passes(entry),
  }
}

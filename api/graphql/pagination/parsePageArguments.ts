import { queryError } from '../errors/queryError.ts'
import { DEFAULT_PAGE, LARGEST_PAGE } from '../limits/limits.ts'

/** A connection's arguments, as GraphQL passes them. */
export type PageArguments = {
  first?: number | null | undefined
  after?: string | null | undefined
  last?: number | null | undefined
  before?: string | null | undefined
}

/** A requested part of a list. */
export type Page<Place> = {
  /** Maximum number of entries. */
  size: number
  after: Place | undefined
  before: Place | undefined
  /** Whether it has the last entries of the range rather than the first. */
  fromEnd: boolean
}

/** Throws BAD_USER_INPUT for sizes out of range and for `first` together with `last`. */
export function parsePageArguments<Place>(
  { first, last, after, before }: PageArguments,
  toPlace: (cursor: string) => Place,
): Page<Place> {
  if (first != null && last != null) {
    throw queryError('BAD_USER_INPUT', 'use first or last, not both')
  }
  const name = first != null ? 'first' : 'last'
  return {
    size: checkedSize(name, first ?? last ?? DEFAULT_PAGE, LARGEST_PAGE),
    after: after == null ? undefined : toPlace(after),
    before: before == null ? undefined : toPlace(before),
    fromEnd: last != null,
  }
}

/** Throws BAD_USER_INPUT for a size that isn't 1 to `largest`. */
export function checkedSize(name: string, size: number, largest: number): number {
  if (size < 1 || size > largest) {
    throw queryError('BAD_USER_INPUT', `${name} must be 1 to ${largest}, not ${size}`)
  }
  return size
}

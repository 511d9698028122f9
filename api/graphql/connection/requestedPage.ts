import { queryError } from '../errors/queryError.ts'
import { DEFAULT_PAGE, LARGEST_PAGE } from '../limits/limits.ts'

/** A connection's arguments, as GraphQL hands them over. */
export type PageArguments = {
  first?: number | null | undefined
  after?: string | null | undefined
  last?: number | null | undefined
  before?: string | null | undefined
}

/** Which part of a list is requested. */
export type Page<Place> = {
  /** Entries at most. */
  size: number
  after: Place | undefined
  before: Place | undefined
  /** The last entries of the range rather than the first. */
  fromEnd: boolean
}

/**
 * The page that a connection's arguments ask for.
 * Throws BAD_USER_INPUT for sizes out of range and for `first` together with `last`.
 */
export function requestedPage<Place>(
  { first, last, after, before }: PageArguments,
  toPlace: (cursor: string) => Place,
): Page<Place> {
  if (first != null && last != null) {
    throw queryError('BAD_USER_INPUT', 'give first or last, not both')
  }
  return {
    size: checkedSize(
      first != null ? 'first' : 'last',
      first ?? last ?? DEFAULT_PAGE,
      LARGEST_PAGE,
    ),
    after: after == null ? undefined : toPlace(after),
    before: before == null ? undefined : toPlace(before),
    fromEnd: last != null,
  }
}

/** A page's size, or BAD_USER_INPUT when it isn't 1 to `most`. */
export function checkedSize(name: string, size: number, most: number): number {
  if (size < 1 || size > most) {
    throw queryError('BAD_USER_INPUT', `${name} is 1 to ${most}, not ${size}`)
  }
  return size
}

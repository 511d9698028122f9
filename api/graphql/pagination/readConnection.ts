import { decodeCursor, encodeCursor } from '../../../services/store/database/paginationCursor.ts'
import type { Direction } from '../../../services/store/intents/intentSortOrder.ts'
import { buildConnection, type Connection } from './buildConnection.ts'
import { type Page, type PageArguments, parsePageArguments } from './parsePageArguments.ts'

/** Arguments of a list: its page, its order and its filter. */
export type ListArguments<Where = unknown, OrderBy = unknown> = PageArguments & {
  where?: Where | null
  orderBy?: (OrderBy & { direction: Direction }) | null
}

/** Converts a row's place in a list to a cursor, and back. */
type Cursors<Row, Place> = {
  cursorOf: (row: Row) => string
  placeIn: (cursor: string) => Place
}

type RowPage<Place> = Page<Place> & { direction: Direction; limit: number }

/** Reads the requested page, newest or largest first by default. */
export async function readConnection<Row, Place>(
  args: ListArguments,
  { cursorOf, placeIn }: Cursors<Row, Place>,
  read: (page: RowPage<Place>) => Promise<readonly Row[]>,
): Promise<Connection<Row>> {
  const page = parsePageArguments(args, placeIn)
  const direction = args.orderBy?.direction ?? 'desc'
  const rows = await read({ ...page, direction, limit: page.size + 1 })
  return buildConnection(rows, page, cursorOf)
}

/** Creates cursors from a list's name and the columns that order its rows. */
export function keysetCursors<Row>(
  list: string,
  kinds: Parameters<typeof decodeCursor>[1],
  placeOf: (row: Row) => Parameters<typeof encodeCursor>[1],
): Cursors<Row, string[]> {
  return {
    cursorOf: (row) => encodeCursor(list, placeOf(row)),
    placeIn: (cursor) => decodeCursor(list, kinds, cursor),
  }
}

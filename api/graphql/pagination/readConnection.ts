import type { KeysetPage } from '../../../services/store/database/keysetPagination.ts'
import type { Db } from '../../../services/store/database/openDatabase.ts'
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

/** A filtered list of the store. */
type CountedList<Filter, Row> = Cursors<Row, string[]> & {
  list(db: Db, filter: Filter, page: KeysetPage): Promise<readonly Row[]>
  count(db: Db, filter: Filter): Promise<number>
}

/** Reads the requested page of a list whose entries are counted if the count is selected. */
export async function readCounted<Filter, Row>(
  list: CountedList<Filter, Row>,
  args: ListArguments,
  filter: Filter,
  { db }: { db: Db },
) {
  return {
    ...(await readConnection(args, list, (page) => list.list(db, filter, page))),
    totalCount: () => list.count(db, filter),
  }
}

/** An answer that is not the usual one, such as an error in a field: it is told by graphql-js itself. */
export class Unplanned extends Error {
  override name = 'Unplanned'
}

/** An unusual answer, such as an error in a field, which graphql-js itself makes. */
export class Unplanned extends Error {
  override name = 'Unplanned'
}

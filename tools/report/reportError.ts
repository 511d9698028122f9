/** Something that stops a report and that its user can do something about. */
export class ReportError extends Error {
  override name = 'ReportError'
}

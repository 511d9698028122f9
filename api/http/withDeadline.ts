/** The work's result, or `late` after so many milliseconds. The work then continues in the background. */
export function withDeadline<Result, Late>(
  milliseconds: number,
  work: Promise<Result>,
  late: Late,
): Promise<Result | Late> {
  let timer: NodeJS.Timeout | undefined
  const deadline = new Promise<Late>((resolve) => {
    timer = setTimeout(resolve, milliseconds, late).unref()
  })
  return Promise.race([work, deadline]).finally(() => clearTimeout(timer))
}

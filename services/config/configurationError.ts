import { OperatorError } from './operatorError.ts'

/** All problems of the configuration, in one message. */
export class ConfigurationError extends OperatorError {
  override readonly name = 'ConfigurationError'
  /** One sentence per problem, naming the variable or the position in the file. */
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`
    super(
      `The configuration has ${count}:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`,
    )
    this.problems = problems
  }
}

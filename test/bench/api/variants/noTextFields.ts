/** Without a list of what is asked for, a plan resolves lists as graphql-js does. */
export function nothingAsked(): null {
  return null
}

export function textField(): null {
  return null
}

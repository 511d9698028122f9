/** Trusted markup. Only `html` creates it: no string is converted to it, and no other object passes for it. */
export class Markup {
  readonly #text: string

  private constructor(text: string) {
    this.#text = text
  }

  toString(): string {
    return this.#text
  }

  /** A template's own text is trusted; every value in it is escaped unless it is markup itself. */
  static of(strings: TemplateStringsArray, values: readonly Value[]): Markup {
    const parts = strings.map(
      (text, index) => text + (index < values.length ? written(values[index]) : ''),
    )
    return new Markup(parts.join(''))
  }
}

/** Values a template accepts. `false`, `null` and `undefined` render as nothing. */
export type Value = Markup | string | number | bigint | false | null | undefined | readonly Value[]

/**
 * Builds markup and escapes every value for text and for quoted attributes. So quote every attribute's value,
 * and never put a value into a script or style.
 */
export function html(strings: TemplateStringsArray, ...values: Value[]): Markup {
  return Markup.of(strings, values)
}

function written(value: Value): string {
  if (value === null || value === undefined || value === false) return ''
  if (value instanceof Markup) return value.toString()
  if (Array.isArray(value)) return value.map(written).join('')
  if (typeof value === 'object') throw new TypeError('only markup, text and numbers can be shown')
  return String(value).replaceAll(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`)
}

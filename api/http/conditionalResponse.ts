import { hash } from 'node:crypto'

/** Text, or bytes if the body is large: see `concatenateAsUtf8`. */
export type Body = string | Buffer<ArrayBuffer>

/** A body, its size in bytes, and its strong entity tag. */
export type Rendered<Kind extends Body = Body> = {
  readonly body: Kind
  readonly bytes: number
  readonly etag: string
}

/** Caches must revalidate each time; mostly that gets a 304. */
const REVALIDATE = 'public, no-cache'

/** Serializes a value, with its entity tag. */
export function render(value: unknown): Rendered<string> {
  return renderText(JSON.stringify(value))
}

/** The same for JSON text. The tag is computed on demand, since items of lists don't need one. */
export function renderText<Kind extends Body>(body: Kind): Rendered<Kind> {
  let etag: string | null = null
  return {
    body,
    bytes: Buffer.byteLength(body),
    get etag() {
      etag ??= entityTag(body)
      return etag
    },
  }
}

/** A strong entity tag, given anything that determines the body. */
export function entityTag(content: Body): string {
  return `"${hash('sha1', content, 'base64url')}"`
}

/** 304 without a body if the client has this version, otherwise 200. */
export function conditionalAnswer(
  { body, bytes, etag }: Rendered,
  ifNoneMatch: string | undefined,
  cacheControl: string = REVALIDATE,
): { status: number; headers: Record<string, string>; body: Body | null; bytes: number } {
  if (ifNoneMatch !== undefined && matches(ifNoneMatch, etag)) {
    return { status: 304, headers: { etag, 'cache-control': cacheControl }, body: null, bytes: 0 }
  }
  const headers = { 'content-type': 'application/json', etag, 'cache-control': cacheControl }
  return { status: 200, headers, body, bytes }
}

/** The same as a `Response`. */
export function createConditionalResponse(
  rendered: Rendered,
  ifNoneMatch: string | undefined,
  cacheControl: string = REVALIDATE,
): Response {
  const { status, headers, body } = conditionalAnswer(rendered, ifNoneMatch, cacheControl)
  return new Response(body, { status, headers })
}

/** RFC 9110 §13.1.2: weak comparison with each tag of the list. */
function matches(ifNoneMatch: string, etag: string): boolean {
  if (ifNoneMatch === etag || ifNoneMatch.trim() === '*') return true
  return ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
}

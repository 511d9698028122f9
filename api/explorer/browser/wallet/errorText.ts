/** EIP-1193: the user declined. */
const REFUSED = 4001

/** An error in words: the owner's refusal, or the first line of the message with its code. */
export function errorText(error: unknown): string {
  const all = causes(error)
  if (all.some(({ code }) => code === REFUSED)) {
    return 'You declined it in your wallet. Nothing was sent.'
  }
  const { shortMessage, message, code } = Object(error) as Partial<Record<string, unknown>>
  // viem calls an error without a code “unknown”, and keeps its message in the details.
  const unknown = all.find(({ name }) => name === 'UnknownRpcError')
  const [words = ''] = String(unknown?.details ?? shortMessage ?? message ?? error).split('\n')
  const sentence = `${words.charAt(0).toUpperCase()}${words.slice(1)}${/[.!?]$/.test(words) ? '' : '.'}`
  return typeof code === 'string' ? `${sentence} (${code})` : sentence
}

type Cause = { code?: unknown; name?: unknown; details?: unknown; cause?: unknown }

function causes(error: unknown): Cause[] {
  const all: Cause[] = []
  for (let one = error; one !== null && typeof one === 'object' && all.length < 10; ) {
    all.push(one)
    one = (one as { cause?: unknown }).cause
  }
  return all
}

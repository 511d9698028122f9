/** EIP-1193's code for a request that the user declined. */
const USER_REJECTED = 4001

/** An error in words: that the user declined, or the first line of the message with its code. */
export function describeWalletError(error: unknown): string {
  const all = causes(error)
  if (all.some(({ code }) => code === USER_REJECTED)) {
    return 'You declined it in your wallet. Nothing was sent.'
  }
  const { shortMessage, message, code } = Object(error) as Partial<Record<string, unknown>>
  // viem reports an error without a code as “unknown” and keeps the wallet's message in `details`.
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

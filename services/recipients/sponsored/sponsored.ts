/** Kinds of transactions that the relayer pays for a Safe's owner. */
export const SPONSORED_KINDS = ['deploySafe', 'relaySafe'] as const
export type SponsoredKind = (typeof SPONSORED_KINDS)[number]

export function isSponsored(kind: string): kind is SponsoredKind {
  return SPONSORED_KINDS.includes(kind as SponsoredKind)
}

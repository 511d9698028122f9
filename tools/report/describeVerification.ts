import type { Verification } from './verifyReport.ts'

/** What was found of a report, for a terminal: nothing that its folder holds is more than text of its own line. */
export function describeVerification({ manifest, signer, problems }: Verification): string {
  const chains = manifest.chains.map(({ name, closing }) => {
    return `${name} up to block ${closing.block} ${closing.blockHash}`
  })
  const faults = manifest.faults.map((fault) => `reported fault: ${fault}`)
  const by = signer === null ? 'not signed' : `signed by ${signer}`
  const verdict =
    problems.length === 0 ? `The report is intact, ${by}.` : 'The report is NOT intact:'
  const found = [...problems, ...chains, ...faults].map((line) => `  ${shown(line)}`)
  return [verdict, ...found].join('\n')
}

/** Control characters could wipe the verdict off a terminal and write another one. */
function shown(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, (one) => {
    return `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`
  })
}

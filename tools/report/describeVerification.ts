import type { Verification } from './verifyReport.ts'

/** A verification's result, for a terminal. Text from the report's folder can't leave its line. */
export function describeVerification({ manifest, signer, problems }: Verification): string {
  const chains = manifest.chains.map(({ name, closing }) => {
    return `${name} up to block ${closing.block} ${closing.blockHash}`
  })
  const faults = manifest.faults.map((fault) => `reported fault: ${fault}`)
  const by = signer === null ? 'not signed' : `signed by ${signer}`
  const verdict =
    problems.length === 0 ? `The report is intact, ${by}.` : 'The report is NOT intact:'
  const found = [...problems, ...chains, ...faults].map((line) => `  ${escapeControls(line)}`)
  return [verdict, ...found].join('\n')
}

/** Control characters could replace the verdict on a terminal. */
function escapeControls(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, (one) => {
    return `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`
  })
}

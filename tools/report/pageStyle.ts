/** The page's only style sheet, inlined so that the report is one file. */
export const PAGE_STYLE = `
:root { color-scheme: light dark; --ink: light-dark(#13201d, #e8efec); --quiet: light-dark(#55635f, #9dada8);
  --ground: light-dark(#f6f7f6, #0d1211); --sheet: light-dark(#ffffff, #141b1a); --line: light-dark(#dfe5e2, #263230);
  --good: light-dark(#14713f, #6cd492); --bad: light-dark(#b3261e, #ff9a91) }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 84rem; padding: 2rem 1.5rem 4rem; background: var(--ground); color: var(--ink);
  font: 400 0.9375rem/1.5 system-ui, sans-serif }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 0.5rem }
h2 { font-size: 1.1875rem; margin: 2.5rem 0 0.75rem }
p { margin: 0 0 0.75rem; max-width: 50rem }
.quiet, caption { color: var(--quiet); font-size: 0.8125rem }
.good { color: var(--good); font-weight: 600 }
.bad { color: var(--bad); font-weight: 600 }
.scroll { overflow-x: auto; background: var(--sheet); border: 1px solid var(--line); border-radius: 10px; margin-bottom: 1.25rem }
table { border-collapse: collapse; width: 100% }
caption { text-align: left; padding: 0.75rem 0.9rem 0; overflow-wrap: anywhere }
th, td { text-align: left; padding: 0.45rem 0.9rem; border-bottom: 1px solid var(--line); vertical-align: top; white-space: nowrap }
td.wrap { white-space: normal; min-width: 18rem; overflow-wrap: anywhere }
tr:last-child > * { border-bottom: 0 }
th.n, td.n { text-align: right; font-variant-numeric: tabular-nums }
tr.sum > * { font-weight: 600 }
code { font-family: ui-monospace, monospace; font-size: 0.92em; overflow-wrap: anywhere }
@media (max-width: 40rem) { body { padding: 1.25rem 0.75rem 3rem } th, td { padding: 0.4rem 0.5rem } caption { padding: 0.6rem 0.5rem 0 } }
@media print { body { max-width: none; padding: 0; background: none } .scroll { overflow: visible; border-radius: 0 } td { white-space: normal } }
`

export const USAGE = `Usage: npm run enclave -- <command>

Root secret (stop the enclave first; it reads the file when it starts)
  rotate-root <root file>                 a new root seals from now on, those of before open
  share-root <root file> <n> <k>          n backup shares, one a line, of which k give the root back
  restore-root <root file>                makes the file from shares, one a line on standard input

Attestation key (of the enclave at ENCLAVE_SOCKET)
  prepare-attester                        makes the next key, to be registered in every registry
  promote-attester                        takes it into use, once every registry counts it

Root for another enclave (each at its own ENCLAVE_SOCKET; CHAINS names the chains file)
  request-root                            of the one without a root: prints its request
  operator-message <request> <chain id>   what two of that chain's operators sign (EIP-712, as JSON)
  give-root <request> <signatures>        of one with it: prints the sealed root; signatures is
                                          {"<chain id>": {"operators": ["0x…"], "signatures": ["0x…"]}}
  accept-root <gift>                      of the one without a root
`

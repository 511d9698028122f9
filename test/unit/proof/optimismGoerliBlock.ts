import { DEPOSIT_TYPE, type Receipt, type ReceiptLog } from '../../../core/proof/receipt.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'
import { computeBloom } from './computeBloom.ts'

/**
 * A real block of the OP stack between Regolith and Canyon (OP Goerli): its first transaction
 * 0xb0d6…8b53 is a deposit with nonce 4012991, which its receipts root leaves out.
 */
export const RECEIPTS_ROOT: Hex =
  '0xe255fed45eae7ede0556fe4fabc77b0d294d18781a5a581cab09127bc4cd9ffb'

/** What servers report as the deposit's nonce; without a version, it is not hashed. */
export const DEPOSIT_NONCE = 4_012_991n

/** 32 bytes with these at the end. */
const word = (end: string): Hex => `0x${end.padStart(64, '0')}`
const words = (...ends: string[]): Hex => `0x${ends.map((end) => word(end).slice(2)).join('')}`

const TRANSFER: Hex = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const TRANSFER_SINGLE: Hex = '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62'
const MINTED_ONE: Hex = '0x0eb774bb9698a73583fe07b6972cf2dcc08d1d97581a22861f45feb86b395820'
const SYNC: Hex = '0x1c411e9a96e071241c2f21f7726b17ae89e3cab4c78be50e062b03a9fffbbad1'
const SWAP: Hex = '0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822'
const TOKEN_URI: Hex = '0x9d89e36eadf856db0ad9ffb5a569e07f95634dddd9501141ecf04820484ad0dc'
const MINTED: Hex = '0x110d160a1bedeea919a88fbc4b2a9fb61b7e664084391b6ca2740db66fef80fe'

/** Three logs of the same contract, once for each of two minters. */
function mint(minter: string): ReceiptLog[] {
  const address = '0xddb6dcce6b794415145eb5caa6cd335aeda9c272'
  const by = word(minter)
  return [
    { address, topics: [TRANSFER_SINGLE, by, by, word('')], data: words('2', '1') },
    { address, topics: [TRANSFER_SINGLE, by, word(''), by], data: words('3', '1') },
    { address, topics: [MINTED_ONE, by, by], data: words('3') },
  ]
}

function swap(): ReceiptLog[] {
  const weth = '0x4200000000000000000000000000000000000006'
  const token = '0xcf8e7e6b26f407dee615fc4db18bf829e7aa8c09'
  const other = '0x6d0f8d488b669aa9ba2d0f0b7b75a88bf5051cd3'
  const [first, second] = [
    '0x2992607c1614484fe6d865088e5c048f0650afd4',
    '0x8dbffe4c8bf3caf5deae3a99b50cfcf3648cbc09',
  ] as const
  const user = word('c3feb4ef4c2a5af77add15c95bd98f6b43640cc8')
  const router = word('29843613c7211d014f5dd5718cf32bcd314914cb')
  const [one, two] = [word(first.slice(2)), word(second.slice(2))]
  const [paid, between, got] = ['18de76816d8000', '2d24d8e9ac1aa79e2', '14bc73062aea8093']
  return [
    { address: weth, topics: [TRANSFER, user, one], data: words(paid) },
    { address: token, topics: [TRANSFER, one, two], data: words(between) },
    {
      address: first,
      topics: [SYNC],
      data: words('9bd50642785c15736', '11bb7ac324f724a29bbbf'),
    },
    { address: first, topics: [SWAP, router, two], data: words(paid, '', '', between) },
    { address: other, topics: [TRANSFER, two, user], data: words(got) },
    { address: second, topics: [SYNC], data: words('2f122cfadc1ca82a35', '665879dc0609945d6d1') },
    { address: second, topics: [SWAP, router, user], data: words('', between, got, '') },
  ]
}

function mintedToken(): ReceiptLog[] {
  const address = '0xac6564f3718837caadd42eed742d75c12b90a052'
  const owner = word('a4fa7f3fbf0677f254ebdb1646146864c305b76e')
  const id = word('11a1d3')
  const uri = [
    '697066733a2f2f516d515141646b33736538396b47716577395256567a316b68',
    '643548375562476d4d4a485a62566f386a6d346f4a2f30000000000000000000',
  ]
  return [
    { address, topics: [TRANSFER, word(''), owner, id], data: '0x' },
    { address, topics: [TOKEN_URI, owner, id], data: words('20', '37', ...uri) },
    {
      address,
      topics: [MINTED, word('84d47f6eea8f8d87910448325519d1bb45c2972a'), owner, id],
      data: words(
        '20',
        owner.slice(2),
        '',
        '',
        '',
        '140',
        '',
        'ee'.repeat(20),
        '',
        '77175007',
        '6234303430366135303564623463396138616331643330633563333230326537',
        '37',
        ...uri,
      ),
    },
  ]
}

function receipt(type: number, cumulativeGasUsed: bigint, logs: ReceiptLog[]): Receipt {
  return { type, outcome: '0x1', cumulativeGasUsed, logs, logsBloom: computeBloom(logs) }
}

export const RECEIPTS: readonly Receipt[] = [
  receipt(DEPOSIT_TYPE, 46_913n, []),
  receipt(2, 118_083n, mint('c498902843af527e674846bb7edefa8ad62b8fb9')),
  receipt(2, 189_253n, mint('9d521a04bee134ff8136d2ec957e5bc8c50394ec')),
  receipt(2, 346_969n, swap()),
  receipt(2, 623_249n, mintedToken()),
]

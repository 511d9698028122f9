import type { BlockHeader } from '../../../core/proof/headerFields.ts'
import type { Hex } from '../../../src/event/bridgeEvent.ts'

const ZERO_HASH: Hex = `0x${'00'.repeat(32)}`
const ZERO_BLOOM: Hex = `0x${'00'.repeat(256)}`
const NO_UNCLES: Hex = '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347'
const EMPTY_TRIE: Hex = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'
const NO_REQUESTS: Hex = '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/** Headers of public chains with the hashes that those chains gave them. */
export const PUBLISHED: readonly { what: string; hash: Hex; header: BlockHeader }[] = [
  {
    what: 'Ethereum block 0 (Frontier, 15 fields)',
    hash: '0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aec8c0db1cb8fa3',
    header: {
      parentHash: ZERO_HASH,
      sha3Uncles: NO_UNCLES,
      miner: `0x${'00'.repeat(20)}`,
      stateRoot: '0xd7f8974fb5ac78d9ac099b9ad5018bedc2ce0a72dad1827a1709da30580f0544',
      transactionsRoot: EMPTY_TRIE,
      receiptsRoot: EMPTY_TRIE,
      logsBloom: ZERO_BLOOM,
      difficulty: '0x400000000',
      number: '0x0',
      gasLimit: '0x1388',
      gasUsed: '0x0',
      timestamp: '0x0',
      extraData: '0x11bbe8db4e347b4e8c937c1c8370e4b5ed33adb3db69cbdb7a38e1e50b1b82fa',
      mixHash: ZERO_HASH,
      nonce: '0x0000000000000042',
    },
  },
  {
    what: 'Ethereum block 23094898 (Prague, 21 fields)',
    hash: '0xe6064637def8a5a9a90c8a666005975e4a6c46acf8af57e1f2adb20dfced133a',
    header: {
      parentHash: '0x37b527c98c86436f292d4e19fac3aba6d8c7768684ea972f50adc305fd9a1475',
      sha3Uncles: NO_UNCLES,
      miner: '0x4838b106fce9647bdf1e7877bf73ce8b0bad5f97',
      stateRoot: '0x5159c56472adff9a760275ac63524a71f5645ede822a5547dd9ad333586d5157',
      transactionsRoot: '0xfb0b9f5b28bc927db98d82e18070d2b17434c31bd2773c5dd699e96fa76a34cd',
      receiptsRoot: '0x2abab67c41b350435eb34f9dc0478dd7d262f35544cecf62a85af2da075bd38d',
      logsBloom:
        '0xbf7bf1afcf57ea95fbb5c6fd8db37db9dbffec27cfc6a39b3417e7786defd7e3d6fd577ecddd5676eee8bf79df8faddcefa7e169def77f7e7d6dbbfd1dfef9aebd9e707b4c4ed979fda2cdeeb96b3bfed5d5fabb68ff9e7f2dfb075eff643a93feebbc07877f0dff66fedf4ede0fbcfbf56f98a1626eaed77ed4e6be388f162f9b2deeff1eefa93bdacbf3fbbd7b6757cddb7ae5b3f9b7af9c3bbff7e7f6ddef9f2dff7f17997ea6867675c29fcbe6bf725efbffe1507589bfd47a3bf7b6f5dfde50776fd94fe772d2c7b6b58baf554de55c176f27efa6fdcff7f17689bafa7f7c7bf4fd5fb9b05c2f4ed785f17ac9779feeaf1f5bbdadfc42ebad367fdcf7ad',
      difficulty: '0x0',
      number: '0x1606672',
      gasLimit: '0x2aca2c9',
      gasUsed: '0x1c06043',
      timestamp: '0x6895a93f',
      extraData: '0x546974616e2028746974616e6275696c6465722e78797a29',
      mixHash: '0x7e53d2d6772895d024eb00da80213aec81fb4a15bec34a5a39403ad6162274af',
      nonce: '0x0000000000000000',
      baseFeePerGas: '0x126f2347',
      withdrawalsRoot: '0x531480435633d56a52433b33f41ac9322f51a2df3364c4c112236fc6ac583118',
      blobGasUsed: '0x100000',
      excessBlobGas: '0x0',
      parentBeaconBlockRoot: '0xd9ef51c8f4155f238ba66df0d35a4d0a6bb043c0dacb5c5dbd5a231bbd4c8a01',
      requestsHash: NO_REQUESTS,
    },
  },
  {
    what: 'the first Amsterdam block of a reth network (23 fields)',
    hash: '0x86e1583ca604ce5de648b44c41fb309b8dfe72ab21b57ad9f12eb0d92ac991f8',
    header: {
      parentHash: '0x2648510bb7819909b36373a3a2ccda82a51a0c8b154d03ff7710ef8d64b689e6',
      sha3Uncles: NO_UNCLES,
      miner: '0x8943545177806ed17b9f23f0a21ee5948ecaa776',
      stateRoot: '0x2338ab0cb5b76db31251fc2352e9142fd8b2bf19de6ac4a3c201b84d6ba737d3',
      transactionsRoot: EMPTY_TRIE,
      receiptsRoot: EMPTY_TRIE,
      logsBloom: ZERO_BLOOM,
      difficulty: '0x0',
      number: '0xc0',
      gasLimit: '0xbebc200',
      gasUsed: '0x0',
      timestamp: '0x6abd0dcb',
      extraData: '0x726574682f76322e372e302f6c696e7578',
      mixHash: '0x27184df4d2e2182675a2310a546d32e0d74a7accd4fbeafa84a903cd489dd40c',
      nonce: '0x0000000000000000',
      baseFeePerGas: '0x7',
      withdrawalsRoot: EMPTY_TRIE,
      blobGasUsed: '0x0',
      excessBlobGas: '0x0',
      parentBeaconBlockRoot: '0x1214de134cf32c261ff3c2b6f96435016e9b98bf7dcd4870ad0009a2acf79974',
      requestsHash: NO_REQUESTS,
      blockAccessListHash: '0x1d33a17375e8dd0aef5da65c3f51422043f1c40d52eceaaca238cc92501aa32e',
      slotNumber: '0xc0',
    },
  },
]

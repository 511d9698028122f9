/**
 * Code of a contract that emits the logs encoded in its calldata by `packLogs`. Deployed at a bridge's address where a
 * benchmark or test needs a long history in seconds; every log conforms to the bridge's ABI, in a plausible order.
 *
 * Calldata: for each log one byte for the number of topics, two for the length of the data, topics, data.
 *
 * @param answers whether a call with a selector alone returns the storage slot of that number
 */
export function buildEmitterCode({ answers = false } = {}): `0x${string}` {
  const code = new Assembler()
  if (answers) {
    code.op(CALLDATASIZE).push(4).op(LT).jumpIf('emit') // a log is longer than a selector
    code.op(PUSH0, CALLDATALOAD).push(0xe0).op(SHR, SLOAD, PUSH0, MSTORE)
    code.push(32).op(PUSH0, RETURN).label('emit')
  }
  code.op(PUSH0).label('loop') // [at]
  code.op(CALLDATASIZE, DUP(2), LT).jumpIf('log') // while at < calldatasize
  code.op(STOP).label('log')
  code.op(DUP(1), CALLDATALOAD, DUP(1)).push(0xf8).op(SHR) // [topics word at]
  code.op(SWAP(1)).push(0xe8).op(SHR).push2(0xffff).op(AND) // [length topics at]
  code.op(SWAP(2)).push(3).op(ADD) // [first topics length]
  code.op(DUP(2)).push(5).op(SHL, DUP(2), ADD) // [data first topics length]
  code.op(DUP(4), DUP(2), PUSH0, CALLDATACOPY) // memory[0..length] = data
  code.op(DUP(4), ADD, SWAP(2)) // [topics first next length]
  for (const topics of [1, 2, 3, 4]) code.op(DUP(1)).push(topics).op(EQ).jumpIf(`log${topics}`)
  code.op(STOP)
  for (const topics of [1, 2, 3, 4]) {
    code.label(`log${topics}`).op(POP) // [first next length]
    for (let pushed = 0; pushed < topics; pushed++) {
      code
        .op(DUP(1 + pushed))
        .push(32 * (topics - 1 - pushed))
        .op(ADD, CALLDATALOAD)
    }
    code.op(DUP(3 + topics), PUSH0, 0xa0 + topics) // LOGn(0, length, …)
    code.op(POP, SWAP(1), POP).jump('loop') // [next]
  }
  return code.assemble()
}

const [STOP, ADD, LT, EQ, AND, SHL, SHR] = [0x00, 0x01, 0x10, 0x14, 0x16, 0x1b, 0x1c]
const [CALLDATALOAD, CALLDATASIZE, CALLDATACOPY] = [0x35, 0x36, 0x37]
const [POP, JUMP, JUMPI, JUMPDEST, PUSH0, PUSH1, PUSH2] = [0x50, 0x56, 0x57, 0x5b, 0x5f, 0x60, 0x61]
const [CODECOPY, MSTORE, SLOAD, RETURN] = [0x39, 0x52, 0x54, 0xf3]
const DUP = (depth: number) => 0x7f + depth
const SWAP = (depth: number) => 0x8f + depth

class Assembler {
  readonly #bytes: number[] = []
  readonly #labels = new Map<string, number>()
  readonly #references: { at: number; label: string }[] = []

  op(...codes: number[]): this {
    this.#bytes.push(...codes)
    return this
  }

  push(value: number): this {
    return this.op(PUSH1, value)
  }

  push2(value: number): this {
    return this.op(PUSH2, value >> 8, value & 0xff)
  }

  label(name: string): this {
    this.#labels.set(name, this.#bytes.length)
    return this.op(JUMPDEST)
  }

  jump(label: string): this {
    this.#references.push({ at: this.#bytes.length + 1, label })
    return this.push2(0).op(JUMP)
  }

  jumpIf(label: string): this {
    this.#references.push({ at: this.#bytes.length + 1, label })
    return this.push2(0).op(JUMPI)
  }

  assemble(): `0x${string}` {
    for (const { at, label } of this.#references) {
      const target = this.#labels.get(label) as number
      this.#bytes[at] = target >> 8
      this.#bytes[at + 1] = target & 0xff
    }
    return `0x${Buffer.from(this.#bytes).toString('hex')}`
  }
}

/** Code of a contract that answers every call with these bytes. */
export function buildAnswerCode(bytes: `0x${string}`): `0x${string}` {
  const length = (bytes.length - 2) / 2
  const program = new Assembler()
  const begins = 12
  program.push2(length).push(begins).op(PUSH0, CODECOPY).push2(length).op(PUSH0, RETURN)
  const code = program.assemble()
  if ((code.length - 2) / 2 !== begins) throw new Error('the bytes begin elsewhere')
  return `${code}${bytes.slice(2)}`
}

export type PlannedLog = { topics: readonly string[]; data: string }

/** Calldata with which the emitter writes these logs. */
export function packLogs(logs: readonly PlannedLog[]): `0x${string}` {
  const hex = (value: number, bytes: number) => value.toString(16).padStart(2 * bytes, '0')
  const parts = logs.map(({ topics, data }) => {
    const body = data.slice(2)
    return (
      hex(topics.length, 1) +
      hex(body.length / 2, 2) +
      topics.map((topic) => topic.slice(2)).join('') +
      body
    )
  })
  return `0x${parts.join('')}`
}

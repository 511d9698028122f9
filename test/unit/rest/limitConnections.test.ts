import { createServer } from 'node:http'
import { Socket } from 'node:net'
import { expect, test } from 'vitest'
import {
  type ConnectionLimits,
  limitConnections,
} from '../../../api/http/limits/limitConnections.ts'

/** A server that is told of connections from any address. */
function opener(limits: ConnectionLimits, proxy?: string): (from: string) => Socket {
  const server = createServer()
  server.removeAllListeners('connection')
  limitConnections(server, (address) => address === proxy, limits)
  return (from) => {
    const socket = new Socket()
    Object.defineProperty(socket, 'remoteAddress', { value: from })
    server.emit('connection', socket)
    return socket
  }
}

test('each /64 of a /48 has its own limit; they share only once all slots are taken', async () => {
  const open = opener({ perClient: 2, total: 6 })
  const first = [open('2001:db8:7:1::1'), open('2001:db8:7:1::2')]
  expect(open('2001:db8:7:1::3').destroyed).toBe(true)
  const others = ['2', '2', '3', '4'].map((network) => open(`2001:db8:7:${network}::1`))
  expect([...first, ...others].map(({ destroyed }) => destroyed)).toEqual(Array(6).fill(false))
  // No more for the network that holds all of them, but for one that holds none.
  expect(open('2001:db8:7:5::1').destroyed).toBe(true)
  expect(open('2001:db8:8:1::1').destroyed).toBe(false)
  expect(others.map(({ destroyed }) => destroyed)).toEqual([false, false, false, true])
})

test('closed connections don’t count', async () => {
  const open = opener({ perClient: 1, total: 1 })
  const socket = open('192.0.2.1')
  expect(open('192.0.2.1').destroyed).toBe(true)
  socket.destroy()
  await expect.poll(() => open('192.0.2.1').destroyed).toBe(false)
})

test('a trusted proxy’s connections don’t count, nor those that are closed already', () => {
  const open = opener({ perClient: 1, total: 1 }, '192.0.2.9')
  const through = ['192.0.2.9', '::ffff:192.0.2.9', undefined, undefined, '192.0.2.1'].map((from) =>
    open(from as string),
  )
  expect(through.map(({ destroyed }) => destroyed)).toEqual(Array(5).fill(false))
  expect(open('192.0.2.1').destroyed).toBe(true)
})

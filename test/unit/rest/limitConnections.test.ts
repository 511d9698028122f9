import { createServer } from 'node:http'
import { Socket } from 'node:net'
import { expect, test } from 'vitest'
import {
  type ConnectionLimits,
  limitConnections,
} from '../../../api/http/limits/limitConnections.ts'

/** A server that is told of connections from any address. */
function opener(limits: ConnectionLimits): (from: string) => Socket {
  const server = createServer()
  server.removeAllListeners('connection')
  limitConnections(server, () => false, limits)
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
  const open = opener({ perClient: 1, total: 6 })
  const socket = open('192.0.2.1')
  expect(open('192.0.2.1').destroyed).toBe(true)
  socket.destroy()
  await expect.poll(() => open('192.0.2.1').destroyed).toBe(false)
})

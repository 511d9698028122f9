import { createServer } from 'node:http'
import { Socket } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { cutSlowReaders } from '../../../api/http/limits/cutSlowReaders.ts'

test('one subscriber’s IPv6 addresses are one client, who loses connections before a reader with more on one', () => {
  vi.useFakeTimers({ toFake: ['setInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const server = createServer()
  server.removeAllListeners('connection')
  cutSlowReaders(server, { mostUnread: 600 })
  const open = (from: string, unread: number) => {
    const socket = new Socket()
    Object.defineProperty(socket, 'remoteAddress', { value: from })
    Object.defineProperty(socket, 'writableLength', { value: unread })
    server.emit('connection', socket)
    return socket
  }
  const reader = open('2001:db8:8:1::1', 200)
  const ofOne = ['1::1', '1::2', '2::1', '3::1', '4::1'].map((end) =>
    open(`2001:db8:7:${end}`, 100),
  )
  vi.advanceTimersByTime(250)
  expect(reader.destroyed).toBe(false)
  expect(ofOne.filter(({ destroyed }) => destroyed)).toHaveLength(1)
})

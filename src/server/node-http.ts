/**
 * Node's HTTP, without importing it. An import of `node:http` reads every name that the module exports, and for
 * `WebSocket` and others Node loads a second HTTP client: 65 ms of processor time in each thread (Node 24).
 */
export const { STATUS_CODES, createServer, request } = process.getBuiltinModule('node:http')

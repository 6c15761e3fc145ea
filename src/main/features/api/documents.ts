/** The OpenAPI and AsyncAPI documents, made from the tables that the server uses. */
import { ENDPOINT_LIST, ROW_FORMATS, type Endpoint, type Parameter } from './endpoints.ts'
import { CLIENT_MESSAGES, reference, SCHEMAS, SERVER_MESSAGES } from './schemas.ts'
import type { JsonSchema } from './valibot-json.ts'

export const STREAM_PATH = '/v1/stream'
/** The version of the API, which `/v1` stands for. */
const API_VERSION = '1.0.0'

const TYPES: Readonly<Record<Parameter['type'], JsonSchema>> = {
  text: { type: 'string' },
  time: { type: 'string', description: 'ISO 8601, epoch ms, or a time such as `today` or `-1h`, in UTC.' },
  whole: { type: 'integer' },
  flag: { type: 'boolean' },
}

function parameterOf(name: string, { type, docs, isRequired, isList, choices }: Parameter): object {
  const one = { ...TYPES[type], ...(choices === undefined ? {} : { enum: choices }) }
  return {
    name,
    in: 'query',
    description: docs,
    required: isRequired === true,
    schema: isList === true ? { type: 'array', items: one } : one,
  }
}

const jsonOf = (name: string): object => ({ 'application/json': { schema: reference(name) } })

function responseOf({ answer }: Endpoint): object {
  switch (answer.is) {
    case 'json':
      return { 200: { description: 'Done.', content: jsonOf(answer.of) } }
    case 'rows':
      return {
        200: {
          description: 'Rows, as they are read. A stream that is cut off ends without HTTP’s last chunk.',
          content: Object.fromEntries(Object.values(ROW_FORMATS).map((type) => [type, { schema: { type: 'string' } }])),
        },
      }
    case 'nothing':
      return { 204: { description: 'Done.' } }
  }
}

function operationOf(id: string, endpoint: Endpoint): object {
  const inPath = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
  const parameters = [
    ...inPath,
    ...Object.entries(endpoint.query ?? {}).map(([name, parameter]) => parameterOf(name, parameter)),
  ]
  return {
    operationId: id,
    summary: endpoint.summary,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(endpoint.body === undefined ? {} : { requestBody: { required: true, content: jsonOf(endpoint.body) } }),
    responses: { ...responseOf(endpoint), default: { description: 'Refused or failed.', content: jsonOf('Error') } },
  }
}

/** The API as OpenAPI 3.1. */
export function openApi(): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const [id, endpoint] of ENDPOINT_LIST)
    (paths[endpoint.path] ??= {})[endpoint.method.toLowerCase()] = operationOf(id, endpoint)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tapedeck',
      version: API_VERSION,
      description: 'The local API of `tapedeck serve --api`. Address and token are in `api.json` in Tapedeck’s folder.',
    },
    servers: [{ url: 'http://127.0.0.1:{port}', variables: { port: { default: '8018' } } }],
    security: [{ bearer: [] }],
    paths,
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } }, schemas: SCHEMAS },
  }
}

/** The live stream as AsyncAPI 3.0, from the side of a client. */
export function asyncApi(): object {
  const messages = Object.entries({ ...CLIENT_MESSAGES, ...SERVER_MESSAGES })
  const named = (names: readonly string[]): object[] =>
    names.map((name) => ({ $ref: `#/channels/stream/messages/${name}` }))
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Tapedeck live stream',
      version: API_VERSION,
      description:
        'One WebSocket with JSON text frames. Ticks are sent while the client has granted credit, up to 10,000 wait for it, and what is dropped beyond that is counted in `lost`.',
    },
    servers: {
      local: {
        host: '127.0.0.1:{port}',
        protocol: 'ws',
        variables: { port: { default: '8018' } },
        security: [{ $ref: '#/components/securitySchemes/bearer' }],
      },
    },
    channels: {
      stream: {
        address: STREAM_PATH,
        messages: Object.fromEntries(
          messages.map(([name, { summary, schema }]) => [name, { name, summary, payload: schema }]),
        ),
      },
    },
    operations: {
      control: {
        action: 'send',
        channel: { $ref: '#/channels/stream' },
        messages: named(Object.keys(CLIENT_MESSAGES)),
      },
      receive: {
        action: 'receive',
        channel: { $ref: '#/channels/stream' },
        messages: named(Object.keys(SERVER_MESSAGES)),
      },
    },
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
  }
}

/**
 * What the MCP SDK takes from its platform: the build puts this in the place of the SDK's own choice for Node, whose validator of
 * schemas is seven times as large, and slows the start of every server.
 */
export { default as process } from 'node:process'
export { CfWorkerJsonSchemaValidator as DefaultJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker'

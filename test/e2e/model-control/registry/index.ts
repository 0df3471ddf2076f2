export { publishSlowly } from "./publish-slowly";
export { type Ollama, startOllama } from "./start-ollama";
export { dropLeases, type Redis, startRedis, withClient } from "./start-redis";
export { type Registry, startRegistry } from "./start-registry";
export { tinyLlama } from "./tiny-llama";

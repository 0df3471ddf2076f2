import { chosenServers, type Servers } from "./chosen-servers";
import { STANDARD_SERVERS } from "./standard-servers";

export type { EngineServers } from "./engine-servers";

/** Components of this platform's engines. */
export const SERVERS: Servers = chosenServers.or(STANDARD_SERVERS);

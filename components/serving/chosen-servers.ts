import type { EngineName } from "../../engines";
import { Chosen } from "../../names/chosen";
import type { EngineServers } from "./engine-servers";

export type Servers = Readonly<Record<EngineName, EngineServers>>;

export const chosenServers = new Chosen<Servers>("components of engines");

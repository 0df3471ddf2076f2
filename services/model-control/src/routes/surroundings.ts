import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyInstance, RawServerDefault } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { Logger } from "pino";
import type { ControlConfig } from "../config";
import type { Fleet } from "../fleet/fleet";
import type { Inferences } from "../inference/inferences";
import type { Tasks } from "../tasks/task";

/** Dependencies of routes. */
export interface Surroundings {
  readonly config: Pick<ControlConfig, "workers" | "registries" | "inference">;
  readonly fleet: Fleet;
  readonly tasks: Tasks;
  /** Set when asynchronous inference is enabled. */
  readonly inferences?: Inferences;
}

export type Server = FastifyInstance<RawServerDefault, IncomingMessage, ServerResponse, Logger, ZodTypeProvider>;

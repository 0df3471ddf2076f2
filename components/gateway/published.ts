import { serviceFqdn } from "../../names/service-host";
import type { ModelTask } from "../../planner/types";
import { namesOf, type OpenAiEndpoint } from "../serving/endpoint";

/** A server with OpenAI's API as the gateway publishes it, wherever that answers. */
export interface Published {
  /** Names its objects and its path: a model's key in the environment, or a worker's. */
  readonly name: string;
  /** All that clients may put in the `model` field for it, at most 64. None: its path alone leads there. */
  readonly names: readonly string[];
  readonly task: ModelTask;
  /** `owned_by` in `GET /v1/models`. */
  readonly ownedBy: string;
  readonly upstream: Upstream;
}

/** Where requests go. */
export interface Upstream {
  /** DNS name, or an address as digits. */
  readonly host: string;
  readonly port: number;
  /** What the API's paths begin with: `/v1`. */
  readonly path: string;
}

/** A model of the cluster: its Service by the name that Envoy, which has no search list, resolves. */
export function publishedEndpoint(endpoint: OpenAiEndpoint): Published {
  return {
    name: endpoint.model,
    names: namesOf(endpoint),
    task: endpoint.task,
    ownedBy: endpoint.engine,
    upstream: { host: serviceFqdn(endpoint.service, endpoint.namespace), port: endpoint.ports.openai, path: "/v1" },
  };
}

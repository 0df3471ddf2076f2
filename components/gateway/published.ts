import { serviceFqdn } from "../../names/service-host";
import type { CertificateFile, ExternalModelPlan, ModelTask } from "../../planner/types";
import { type OutsideAddress, serverAt } from "../core/outside";
import { type ModelEndpoint, namesOf, type OpenAiEndpoint } from "../serving/endpoint";
import { readyPath } from "./health-checks";
import { revisionsOf, type Share } from "./shares";

/** A server with OpenAI's API as the gateway publishes it, wherever that answers. */
export interface Published {
  /** Names its objects and its path: a model's key in the environment, or a worker's. */
  readonly name: string;
  /** Key of the model whose settings hold for it: sessions, and what free consumers may hold. @default its own name */
  readonly model?: string;
  /** All that clients may put in the `model` field for it, at most 64. None: its path alone leads there. */
  readonly names: readonly string[];
  /** What they may put there at the path of its own. @default `names` */
  readonly pathNames?: PathNames;
  /** Paths below its own, besides `/v1`, that take POST, each with the AI gateway's path that it maps to. @default none */
  readonly shortcuts?: Readonly<Record<string, string>>;
  readonly task: ModelTask;
  /** `owned_by` in `GET /v1/models`. */
  readonly ownedBy: string;
  readonly upstream: Upstream;
  /** Where those who answer its requests say that they can. @default not asked */
  readonly readyPath?: string;
  /** Others that take percents of its requests, each under a `name` of its own. @default none: it answers all requests */
  readonly revisions?: readonly Share[];
}

/** `any`: what the server has is decided there, at run time. */
export type PathNames = readonly string[] | "any";

/** Where requests go. */
export interface Upstream {
  /** DNS name, or an address as digits. */
  readonly host: string;
  readonly port: number;
  /** What the API's paths begin with: `/v1`. */
  readonly path: string;
}

/** A server outside of the cluster. */
export interface OutsidePublished extends Published {
  readonly outside: OutsideAccess;
}

/** How requests get to a server outside. */
export interface OutsideAccess {
  readonly address: OutsideAddress;
  /** @default the authorities that the gateway's image trusts, where the URL says https */
  readonly authorities?: CertificateFile;
  /** Name of the secret with its key. @default it asks for none */
  readonly secretKey?: string;
  /** Name of the model there, where clients know it by another. @default as clients say it */
  readonly modelThere?: string;
  /** How it says that it answers, to who asks without a key. @default not asked */
  readonly health?: OutsideHealth;
}

export interface OutsideHealth {
  /** From the server's root. */
  readonly path: string;
  /** Status codes of a server that is well: one that asks for a key refuses who has none. */
  readonly healthy: readonly number[];
}

const WELL = [200];
const WELL_WITH_KEY = [200, 401, 403];

/** Models of the cluster. A revision of another has no names but that one's: its path alone leads to it whatever its weight. */
export function publishedEndpoints(endpoints: readonly OpenAiEndpoint[]): Published[] {
  return endpoints.map((endpoint) => {
    const { model, revisionOf } = endpoint;
    const revisions = revisionsOf(model, endpoints);
    const path = readyPath(endpoint, endpoints);
    return {
      ...publishedEndpoint(endpoint),
      ...(path !== undefined && { readyPath: path }),
      ...(revisionOf && { names: [], pathNames: namesOf(endpoint) }),
      ...(revisions.length > 0 && { revisions }),
    };
  });
}

/** One of them, as if it had no revisions. */
export function publishedEndpoint(endpoint: OpenAiEndpoint): Published {
  return {
    name: endpoint.model,
    names: namesOf(endpoint),
    task: endpoint.task,
    ownedBy: endpoint.engine,
    upstream: { host: hostOf(endpoint), port: endpoint.ports.openai, path: "/v1" },
  };
}

/** The name of a model's Service as Envoy, which has no search list, resolves it. */
export function hostOf({ service, namespace }: Pick<ModelEndpoint, "service" | "namespace">): string {
  return serviceFqdn(service, namespace);
}

/** An external model. */
export function publishedExternal(model: ExternalModelPlan): OutsidePublished {
  const { name, servedName, task, url, networks, authorities, secretKey, modelThere, healthPath } = model;
  const address = { url, ...(networks && { networks }) };
  const { host, port, path } = serverAt(address);
  return {
    name,
    names: [servedName],
    pathNames: [...new Set([servedName, modelThere])],
    task,
    ownedBy: host,
    upstream: { host, port, path },
    outside: {
      address,
      ...(authorities && { authorities }),
      ...(secretKey !== undefined && { secretKey }),
      ...(modelThere !== servedName && { modelThere }),
      health: { path: healthPath, healthy: secretKey === undefined ? WELL : WELL_WITH_KEY },
    },
  };
}

export function isOutside(server: Published): server is OutsidePublished {
  return "outside" in server;
}

import { GATEWAY_NODE_PORTS } from "../../names/gateway-node-ports";
import { GATEWAY_NAMESPACE } from "../../names/namespaces";
import { shellQuoted } from "../../names/shell-word";
import type { ModelTask } from "../../planner/types";
import { NODE_HEALTH_PATH, NODE_INFER_PATH } from "../node/ports";
import { FORWARD, FORWARDED_PORT, type GatewayAccess, gatewayAddress } from "./address";
import { consumerSecretName } from "./api-keys";
import { tlsSecretName } from "./certificate";
import { CALLED_MODEL_HEADER, speaksGrpc } from "./grpc-routes";
import { type KserveEndpoint, type KservePublished, kservePath } from "./kserve-routes";
import type { Published } from "./published";
import { TASK_PATHS } from "./task-paths";

/** What a consumer puts into its settings to use one model, and a command that shows that it works. */
export interface ModelUsage {
  /** For clients that keep to one model; `<address>/v1` serves all. */
  readonly baseUrl: string;
  readonly modelId: string;
  /** The model's API can stream its answer. */
  readonly enableStream: boolean;
  readonly curl: string;
  /** How gRPC clients call it; left out where the model has no such API. */
  readonly grpc?: GrpcUsage;
}

/** What a consumer puts into its settings to use a server group, and a command that shows that it works. */
export interface GroupUsage {
  /** `<address>/<group>`: `/infer`, `/v1` and, where the nodes are the platform's, `/health` are below it. */
  readonly baseUrl: string;
  readonly modelId: string;
  readonly enableStream: boolean;
  readonly curl: string;
  /** Settings of an Octopus consumer, which chats, as it reads them. Left out where the nodes cannot. */
  readonly consumer?: {
    readonly OctopusConfig: {
      readonly SemanticKernelPlugin: {
        readonly LLM: {
          readonly Provider: "CustomEndpoint";
          readonly BaseUrl: string;
          readonly ModelId: string;
          readonly EnableStream: boolean;
        };
      };
    };
  };
}

/** Settings of a gRPC client, which uses TLS and sends its key as it would over HTTP: `authorization: Bearer …`. */
export interface GrpcUsage {
  /** Host and port. */
  readonly target: string;
  /** What each call carries besides the key. */
  readonly metadata: Readonly<Record<string, string>>;
}

/**
 * Settings and example call of a model. The command reads the key from its Secret when it runs: no key is
 * ever part of this text.
 *
 * @param consumer whose key the example takes.
 */
export function modelUsage(server: Published, access: GatewayAccess, consumer: string): ModelUsage {
  const { name, names, task } = server;
  const address = gatewayAddress(access);
  const [modelId = name] = names;
  return {
    baseUrl: `${address}/${name}/v1`,
    modelId,
    enableStream: isText(task),
    curl: exampleCall(access, consumer, TASK_PATHS[task], { model: modelId, ...EXAMPLES[task] }),
  };
}

/** The same of a model behind KServe's API: its inputs and outputs are what the example asks for, but of text models. */
export function kserveUsage(endpoint: KserveEndpoint, access: GatewayAccess, consumer: string): ModelUsage {
  const path = kservePath(endpoint);
  const streams = isText(endpoint.task);
  return {
    baseUrl: `${gatewayAddress(access)}${path}`,
    modelId: endpoint.servedName,
    enableStream: streams,
    curl: streams
      ? exampleCall(access, consumer, `${path}/generate`, KSERVE_TEXT)
      : exampleCall(access, consumer, path),
    ...(speaksGrpc(endpoint) && {
      grpc: { target: gatewayTarget(access), metadata: { [CALLED_MODEL_HEADER]: endpoint.model } },
    }),
  };
}

/** Settings and example call of a server group, whatever API its nodes' engines speak. */
export function groupUsage(server: Published | KservePublished, access: GatewayAccess, consumer: string): GroupUsage {
  const { name, task } = server;
  const BaseUrl = `${gatewayAddress(access)}/${name}`;
  const EnableStream = isText(task);
  const settings = (ModelId: string) => ({ baseUrl: BaseUrl, modelId: ModelId, enableStream: EnableStream });
  const path = `/${name}${NODE_INFER_PATH}`;
  if ("servedName" in server) {
    return {
      ...settings(server.servedName),
      curl: EnableStream
        ? exampleCall(access, consumer, path, KSERVE_TEXT)
        : exampleCall(access, consumer, `/${name}${NODE_HEALTH_PATH}`),
    };
  }
  const { pathNames } = server;
  const [ModelId = name] = Array.isArray(pathNames) ? (pathNames as readonly string[]) : [];
  return {
    ...settings(ModelId),
    curl: exampleCall(access, consumer, path, { model: ModelId, ...EXAMPLES[task] }),
    ...(task === "chat" && {
      consumer: {
        OctopusConfig: {
          SemanticKernelPlugin: { LLM: { Provider: "CustomEndpoint", BaseUrl, ModelId, EnableStream } },
        },
      },
    }),
  };
}

/** Where gRPC clients connect to, who take no URL. */
function gatewayTarget(access: GatewayAccess): string {
  const { hostname, port } = new URL(gatewayAddress(access));
  return `${hostname}:${port || 443}`;
}

/** @param body of a POST; without one it is a GET. */
function exampleCall(access: GatewayAccess, consumer: string, path: string, body?: object): string {
  const key = secretValue(consumerSecretName(consumer), consumer);
  const command = [
    `curl ${gatewayAddress(access)}${path}`,
    ...connection(access),
    ...(access.tls.kind === "self-signed" ? [`--cacert <(${secretValue(tlsSecretName(access.tls), "ca.crt")})`] : []),
    `-H "Authorization: Bearer $(${key})"`,
    ...(body ? ['-H "Content-Type: application/json"', `-d ${shellQuoted(JSON.stringify(body))}`] : []),
  ].join(" \\\n  ");
  return access.exposure === "ClusterIP" ? `${PORT_FORWARD}\n${command}` : command;
}

/** What a body of each task has besides the model. */
const EXAMPLES: Readonly<Record<ModelTask, object>> = {
  chat: { messages: [{ role: "user", content: "Say hello." }], max_tokens: 64 },
  completion: { prompt: "Hello,", max_tokens: 64 },
  embedding: { input: "Say hello." },
  rerank: { query: "greeting", documents: ["Say hello.", "Count to ten."] },
};

/** Of a text model behind KServe's API. */
const KSERVE_TEXT = { text_input: "Hello,", sampling_param_max_tokens: 64 };

function isText(task: ModelTask): boolean {
  return task === "chat" || task === "completion";
}

/** A Service without an address outside: reached through the API server, in the background of the same shell. */
const PORT_FORWARD = `${FORWARD} & sleep 3`;

/** Options that lead to the proxies where the hostname alone does not, or not yet. */
function connection({ hostname, exposure }: GatewayAccess): string[] {
  switch (exposure) {
    case "LoadBalancer":
      return [];
    case "ClusterIP":
      return [`--connect-to ${hostname}:443:127.0.0.1:${FORWARDED_PORT}`];
    case "NodePort": {
      const node = `kubectl get nodes -o jsonpath='{.items[0].status.addresses[?(@.type=="InternalIP")].address}'`;
      return [`--connect-to "${hostname}:${GATEWAY_NODE_PORTS.https}:$(${node}):${GATEWAY_NODE_PORTS.https}"`];
    }
  }
}

function secretValue(secret: string, key: string): string {
  const path = `{.data.${key.replaceAll(".", "\\.")}}`;
  return `kubectl -n ${GATEWAY_NAMESPACE} get secret ${secret} -o jsonpath=${shellQuoted(path)} | base64 -d`;
}

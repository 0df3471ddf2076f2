/** Connections to any public address, because only a name is known. */

import { DEFAULT_GPU_NODE_IMAGE, gpuNodeImage } from "../../catalog/gpu-node-images";
import { engineOf } from "../../engines";
import { isImageVolume, splitBucketUri } from "../../engines/sources";
import { outsideServer, proxyFor } from "../../names/outside-server";
import { serviceNamespace } from "../../names/service-host";
import { nodeMakers } from "../../planner/node-makers";
import { isCached } from "../../planner/storage";
import type { ModelPlan, ModelSource } from "../../planner/types";
import { receiversOf } from "../addons/observability/receivers";
import { storeElsewhere } from "../config";
import type { Advised } from "./advice";

/** A caller and its target, without Kubernetes API clients (`api-server-cidrs`). */
export interface EgressOpening {
  /** As on NetworkPolicies. */
  readonly connections: readonly string[];
  readonly who: string;
  /** Keys that narrow it. @default none: the target has only a name */
  readonly narrowedBy?: string;
}

export type Opened = Pick<Advised, "plan" | "environment" | "secrets">;

/** Tested against rendered NetworkPolicies. */
export function egressOpenings(opened: Opened): EgressOpening[] {
  return [
    ...ofModels(opened),
    ...ofSources(opened),
    ...ofServers(opened),
    ...ofReceivers(opened),
    ...ofWorkers(opened),
    ...ofTheCluster(opened),
    ...ofBeta9(opened),
    ...ofPeople(opened),
  ];
}

interface Address {
  readonly url: string;
  readonly networks?: readonly string[] | undefined;
}

function isNamed({ url, networks }: Address): boolean {
  return networks === undefined && outsideServer(url)?.family === undefined;
}

function ofModels({ plan, environment }: Opened): EgressOpening[] {
  const { cluster, storage } = environment;
  const { proxy, hub, registryNetworks } = storage;
  const isBundled = cluster.kind === "edge" && cluster.k3s?.bundle !== undefined;
  const fetching = plan.models.filter(
    ({ engine, serverOf }) => engineOf(engine).weightsFrom === "registry" && !serverOf,
  );
  const throughProxy = proxy && "storage.proxy.networks";
  const ofEngines = fetching.map(({ name }) => ({
    connections: [`model-${name}-to-registry`],
    who: `pods of models.${name}`,
    narrowedBy: throughProxy ?? "storage.proxy with networks, or storage.registryNetworks",
  }));
  const ofJobs = {
    connections: ["model-sync-to-hugging-face"],
    who: "sync Jobs of the model store",
    narrowedBy:
      throughProxy ?? (hub ? "storage.hub.networks" : "storage.proxy with networks, or storage.hub with networks"),
  };
  const first = proxy ?? hub;
  return [
    ...((proxy ? isNamed(proxy) : registryNetworks === undefined) ? ofEngines : []),
    ...(plan.models.some(isDownloaded) && !isBundled && (first === undefined || isNamed(first)) ? [ofJobs] : []),
  ];
}

/** Buckets and registries that models are copied from. */
function ofSources({ plan, environment: { storage } }: Opened): EgressOpening[] {
  const store = storeElsewhere(storage);
  const ofModels = plan.models.flatMap(({ name, source }) => {
    const server = sourceAddress(source, storage);
    return server && isNamed(server)
      ? {
          connections: [`sync-of-${name}-to-its-${server.kind}`],
          who: `the sync Job of models.${name}`,
          narrowedBy: server.key,
        }
      : [];
  });
  return store && isNamed(store) ? [...ofModels, toStore(plan, store.bucket)] : ofModels;
}

/** Of all that reads or fills a store elsewhere. */
function toStore({ storage, models }: Opened["plan"], bucket: string): EgressOpening {
  return {
    connections: [
      "jobs-to-model-store",
      ...(storage.models.length > 0 ? ["models-to-model-store"] : []),
      ...(models.some(isCached) ? ["node-caches-to-model-store"] : []),
    ],
    who: "Jobs, pods of engines and caches of nodes, for the model store",
    narrowedBy: `storage.buckets.${bucket}.networks`,
  };
}

function sourceAddress(source: ModelSource, storage: Opened["environment"]["storage"]) {
  const server = sourceItself(source, storage);
  const proxy = server && proxyFor(server, storage.proxy);
  return server && proxy ? { ...proxy, kind: server.kind, key: "storage.proxy.networks" } : server;
}

function sourceItself(source: ModelSource, { buckets, registries }: Opened["environment"]["storage"]) {
  if (source.kind === "artifact" && !isImageVolume(source)) {
    const { registry } = source;
    const key = `storage.registries["${registry}"].networks`;
    return { kind: "registry", url: `https://${registry}`, networks: registries[registry]?.networks, key };
  }
  const name = source.kind === "bucket" && source.copied ? splitBucketUri(source.uri).bucket : "";
  const bucket = Object.hasOwn(buckets, name) ? buckets[name] : undefined;
  return (
    bucket && { kind: "bucket", url: bucket.url, networks: bucket.networks, key: `storage.buckets.${name}.networks` }
  );
}

function isDownloaded({ source, adapters }: ModelPlan): boolean {
  return [{ source }, ...(adapters?.list ?? [])].some((each) => each.source.kind === "huggingface");
}

/** External servers of models, nodes and tokens. */
function ofServers({ plan, environment }: Opened): EgressOpening[] {
  const { externalModels, nodes, mesh } = environment;
  const issuer = plan.tokenIssuer;
  return [
    ...Object.entries(externalModels).flatMap(([name, { external }]) =>
      isNamed(external)
        ? {
            connections: [`gateway-to-external-${name}`],
            who: `the gateway for models.${name}`,
            narrowedBy: `models.${name}.external.networks`,
          }
        : [],
    ),
    ...Object.entries(nodes).flatMap(([name, { registrar }]) =>
      registrar && isNamed(registrar)
        ? {
            connections: [`node-${name}-to-registrar`],
            who: `nodes of ${name}`,
            narrowedBy: `nodes.${name}.registrar.networks`,
          }
        : [],
    ),
    ...(issuer && isNamed(issuer.jwks)
      ? [
          {
            connections: ["gateway-to-token-issuer", ...(mesh.mode === "off" ? [] : ["istiod-to-token-issuer"])],
            who: `the gateway${mesh.mode === "off" ? "" : ", and istiod,"} for the keys of tokens`,
            narrowedBy: "gateway.auth.oidc.networks",
          },
        ]
      : []),
  ];
}

function ofReceivers({ environment, secrets }: Opened): EgressOpening[] {
  const receivers = receiversOf(environment.observability.alerts, Object.keys(secrets));
  return Object.entries(receivers).flatMap(([kind, receiver]) =>
    receiver && receiver.networks === undefined
      ? {
          connections: [`alertmanager-to-${kind}`],
          who: `Alertmanager for the receiver ${kind}`,
          narrowedBy: `observability.alerts.${kind}.networks`,
        }
      : [],
  );
}

function ofWorkers({ environment: { modelControl } }: Opened): EgressOpening[] {
  return Object.entries(modelControl.enabled ? modelControl.workers : {}).flatMap(([name, worker]) =>
    isNamed(worker)
      ? {
          connections: [
            `model-control-to-worker-${name}`,
            `model-relay-to-worker-${name}`,
            `gateway-to-external-${name}`,
          ],
          who: `model control, and what serves its models, for the worker ${name}`,
          narrowedBy: `modelControl.workers.${name}.networks`,
        }
      : [],
  );
}

/** Chat page, Portainer, Rancher and Argo CD. */
function ofPeople({ environment: { gateway, openWebUi, portainer, rancher, gitops } }: Opened): EgressOpening[] {
  const { oidc } = gateway.auth ?? {};
  return [
    ...(openWebUi?.signIn && oidc && isNamed({ url: oidc.issuer, networks: oidc.networks })
      ? [
          {
            connections: ["open-webui-to-issuer"],
            who: "the chat page for the issuer that signs people in",
            narrowedBy: "gateway.auth.oidc.networks",
          },
        ]
      : []),
    ...(portainer?.mode === "edge" && isNamed(portainer)
      ? [
          {
            connections: ["portainer-agent-to-server"],
            who: "Portainer's agent for its server",
            narrowedBy: "portainer.networks",
          },
        ]
      : []),
    ...(rancher && isNamed(rancher)
      ? [
          {
            connections: ["rancher-agents-to-server"],
            who: "Rancher's agents for their server",
            narrowedBy: "rancher.networks",
          },
        ]
      : []),
    ...(gitops && isNamed({ url: gitops.repository, networks: gitops.networks })
      ? [
          {
            connections: ["argocd-repo-server-to-repository"],
            who: "Argo CD for its repository",
            narrowedBy: "gitops.networks",
          },
        ]
      : []),
    ...(gitops ? [{ connections: ["argocd-repo-server-to-charts"], who: "Argo CD, for repositories of charts" }] : []),
  ];
}

/** Platform controllers, which call a cloud, distribution or CA. */
function ofTheCluster({ plan, environment }: Opened): EgressOpening[] {
  const { cluster, gateway, pools } = environment;
  const isOnAws = cluster.kind === "aws" && cluster.provision !== "existing";
  const hasKarpenter = plan.pools.some(
    (pool) => nodeMakers(pool, typeof pools[pool.name]?.capacity === "object").karpenterNodes > 0,
  );
  return [
    ...(isOnAws && hasKarpenter ? [{ connections: ["karpenter-to-aws"], who: "Karpenter, for Amazon's APIs" }] : []),
    ...(isOnAws
      ? [{ connections: ["load-balancer-controller-to-aws"], who: "AWS Load Balancer Controller, for Amazon's APIs" }]
      : []),
    ...(gateway.tls.kind === "acme" && cluster.certManager === "platform"
      ? [
          {
            connections: ["cert-manager-to-acme-server", "cert-manager-to-challenge"],
            who: "cert-manager, for its ACME server and challenges",
          },
        ]
      : []),
    ...(makesDrivers({ plan, environment })
      ? [{ connections: ["gpu-drivers-to-packages"], who: "NVIDIA's driver pods, for packages of the nodes' kernel" }]
      : []),
  ];
}

/** Whether the GPU operator compiles drivers, for nodes without any. */
function makesDrivers({ plan, environment: { cluster } }: Pick<Opened, "plan" | "environment">): boolean {
  const image = cluster.gpuNodeImage ?? DEFAULT_GPU_NODE_IMAGE[cluster.kind];
  const isOurs =
    cluster.provision === "existing"
      ? cluster.gpuSoftware === "platform"
      : cluster.kind === "aws" || (cluster.kind === "edge" && cluster.provision === "create");
  if (!isOurs || image === undefined || !plan.pools.some(({ shape }) => shape.gpu?.vendor === "nvidia")) {
    return false;
  }
  const { driver, devicePlugin } = gpuNodeImage(image);
  return !driver && !devicePlugin;
}

function ofBeta9({ environment: { beta9 } }: Opened): EgressOpening[] {
  if (beta9 === undefined) {
    return [];
  }
  const backends: readonly (readonly [connection: string, host: string])[] = [
    ["beta9-to-postgres", beta9.postgres.host],
    ["beta9-to-redis", beta9.redis.host],
    ["beta9-to-juicefs-redis", beta9.juicefsRedis.host],
    ["beta9-to-object-store", new URL(beta9.s3.endpoint).hostname],
  ];
  const outside = backends.flatMap(([connection, host]) => (serviceNamespace(host) === undefined ? [connection] : []));
  return [
    { connections: ["beta9-to-internet"], who: "Beta9, for images, packages and what functions call" },
    ...(outside.length > 0
      ? [{ connections: outside, who: "Beta9, for its back ends outside, in private networks too" }]
      : []),
  ];
}

/** Servers of the user's that models are copied from, buckets and registries: which one a model's is, and how its Job reaches it. */
import type * as kubernetes from "@pulumi/kubernetes";
import type * as pulumi from "@pulumi/pulumi";
import { isImageVolume, splitBucketUri } from "../../engines/sources";
import { proxyFor } from "../../names/outside-server";
import type { ModelPlan } from "../../planner/types";
import { type OutsideAddress, serverAt } from "../core/outside";
import type { HubAccess, SourceBucket, SourceRegistry } from "./hub-access";
import { registryUrl } from "./scripts/oci-registry";

const KEYS_FOLDER = "/etc/source-keys";
const AUTHORITIES_FOLDER = "/etc/source-authorities";
const AUTHORITIES_FILE = "ca.crt";

/** What Kubernetes asks of a Secret with a Docker config.json. */
const DOCKER_CONFIG = { type: "kubernetes.io/dockerconfigjson", key: ".dockerconfigjson" };

type Variable = kubernetes.types.input.core.v1.EnvVar;

export interface SourceServer {
  /** For the names of connections. */
  readonly kind: "bucket" | "registry";
  /** Name of its Secret, and the start of that of its ConfigMap, in the store's namespace. */
  readonly name: string;
  /** What its Job connects to: it, or the proxy in front. */
  readonly address: OutsideAddress;
  /** Of that, and of others that it refers to. */
  readonly ports: readonly number[];
  /** Name of the configuration's secret. @default requests are anonymous */
  readonly secretKey?: string | undefined;
  /** Its place in the Secret, and the variable that names the file. */
  readonly keys: { readonly type?: string; readonly key: string; readonly variable: string };
  /** PEM. @default public ones */
  readonly authorities?: string | undefined;
  /** Variables of the Job's script. */
  readonly variables: readonly Variable[];
}

/** Undefined for a model that comes from elsewhere. */
export function sourceServer(
  { source }: Pick<ModelPlan, "source">,
  { buckets = {}, registries = {}, proxy }: Pick<HubAccess, "buckets" | "registries" | "proxy">,
): SourceServer | undefined {
  if (isImageVolume(source)) {
    return undefined;
  }
  if (source.kind === "artifact") {
    const settings = Object.hasOwn(registries, source.registry) ? registries[source.registry] : undefined;
    return behind(proxy, registryServer(source, settings));
  }
  if (source.kind !== "bucket" || !source.copied) {
    return undefined;
  }
  const { bucket, prefix } = splitBucketUri(source.uri);
  const settings = Object.hasOwn(buckets, bucket) ? buckets[bucket] : undefined;
  return settings && behind(proxy, bucketServer(bucket, prefix, settings));
}

function behind(proxy: OutsideAddress | undefined, server: SourceServer): SourceServer {
  const address = proxyFor(server.address, proxy);
  return address === undefined
    ? server
    : {
        ...server,
        address,
        ports: [serverAt(address).port],
        variables: [...server.variables, { name: "SOURCE_PROXY", value: address.url }],
      };
}

function bucketServer(
  bucket: string,
  prefix: string,
  { url, networks, region, secretKey, authorities }: SourceBucket,
): SourceServer {
  const address = { url, ...(networks && { networks }) };
  return {
    kind: "bucket",
    name: `source-${bucket}`,
    address,
    ports: [serverAt(address).port],
    secretKey,
    authorities,
    keys: { key: "keys", variable: "SOURCE_KEYS_PATH" },
    variables: [
      { name: "SOURCE_ENDPOINT", value: url.replace(/\/+$/, "") },
      { name: "SOURCE_BUCKET", value: bucket },
      { name: "SOURCE_PREFIX", value: prefix },
      { name: "SOURCE_REGION", value: region },
    ],
  };
}

function registryServer(
  { registry, repository, tag, digest }: Extract<ModelPlan["source"], { readonly kind: "artifact" }>,
  { networks, secretKey, authorities }: SourceRegistry = {},
): SourceServer {
  const address = { url: registryUrl(registry), ...(networks && { networks }) };
  return {
    kind: "registry",
    name: `registry-${registry.replace(":", "-")}`,
    address,
    // The server of tokens, and the store to which downloads are redirected.
    ports: [...new Set([serverAt(address).port, 443])],
    secretKey,
    authorities,
    keys: { ...DOCKER_CONFIG, variable: "SOURCE_LOGINS_PATH" },
    variables: [
      { name: "SOURCE_ENDPOINT", value: address.url },
      { name: "SOURCE_REGISTRY", value: registry },
      { name: "SOURCE_REPOSITORY", value: repository },
      { name: "REVISION", value: digest ?? tag ?? "" },
    ],
  };
}

/** What the configuration's secret becomes: content and type of a Secret. */
export function sourceSecret({ keys: { type, key } }: SourceServer, value: pulumi.Input<string>) {
  return { ...(type !== undefined && { type }), stringData: { [key]: value } };
}

/** Name and content of the ConfigMap with its authorities. */
export function sourceAuthorities({ name, authorities }: SourceServer) {
  return authorities === undefined
    ? undefined
    : { name: authoritiesName(name), data: { [AUTHORITIES_FILE]: authorities } };
}

function authoritiesName(name: string): string {
  return `${name}-authorities`;
}

/** Variables and files of a Job that reads it. */
export interface SourceAccess {
  readonly environment: readonly Variable[];
  readonly volumes: readonly kubernetes.types.input.core.v1.Volume[];
  readonly mounts: readonly kubernetes.types.input.core.v1.VolumeMount[];
}

/** @param secretName of its Secret. @default requests are anonymous */
export function sourceAccess(server: SourceServer, secretName: pulumi.Input<string> | undefined): SourceAccess {
  const { name, keys, authorities, variables } = server;
  const files = [
    ...(secretName === undefined
      ? []
      : [
          {
            variable: { name: keys.variable, value: `${KEYS_FOLDER}/${keys.key}` },
            volume: { name: "source-keys", secret: { secretName } },
            folder: KEYS_FOLDER,
          },
        ]),
    ...(authorities === undefined
      ? []
      : [
          {
            variable: { name: "SOURCE_CA_PATH", value: `${AUTHORITIES_FOLDER}/${AUTHORITIES_FILE}` },
            volume: { name: "source-authorities", configMap: { name: authoritiesName(name) } },
            folder: AUTHORITIES_FOLDER,
          },
        ]),
  ];
  return {
    environment: [...variables, ...files.map(({ variable }) => variable)],
    volumes: files.map(({ volume }) => volume),
    mounts: files.map(({ volume, folder }) => ({ name: volume.name, mountPath: folder, readOnly: true })),
  };
}
